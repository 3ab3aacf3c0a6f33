import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

const listResults = (page: Page): Promise<string[]> =>
  page.locator('#results b').allTextContents();
const waitForSummary = (page: Page, text: string): Promise<void> =>
  page.locator('#found', { hasText: new RegExp(`^${text}`) }).waitFor();

describe.skipIf(noBrowser !== '')(`the front page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();

  it('loads at most 20 kB of compressed files, and links only to files that exist', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/`);
    await page.waitForLoadState('networkidle');
    const requested: string[] = await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).sort()`,
    );
    expect(requested).toEqual([
      '/api/gamedata/',
      '/front.js',
      '/mark.svg',
      '/style.css',
    ]);
    const sizes = ['/', ...requested].map(
      async (path) =>
        gzipSync(await (await fetch(site.url + path)).arrayBuffer()).length,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(total).toBeGreaterThan(4000);
    expect(total).toBeLessThan(20_000);
    const links: string[] = await page.evaluate(
      `[...document.querySelectorAll('a:not([href^="#"]):not([rel])')].map(({ href }) => href)`,
    );
    expect(links.length).toBeGreaterThan(6);
    for (const link of links) {
      expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    }
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('has metadata for search engines, which the Content-Security-Policy does not block', async () => {
    const { page, problems } = await visit(`${site.url}/`);
    const response = await fetch(site.url);
    expect(response.headers.get('Content-Security-Policy')).toContain(
      "script-src 'self';",
    );
    const text = await page
      .locator('script[type="application/ld+json"]')
      .textContent();
    expect(JSON.parse(text ?? '')).toMatchObject({ '@type': 'Dataset' });
    expect(problems).toEqual([]);
  });

  describe('the first request', () => {
    const openTab = async (page: Page, label: string): Promise<string> => {
      await page.getByRole('tab', { name: label }).click();
      const panels = page.getByRole('tabpanel');
      expect(await panels.count()).toBe(1);
      const code = (await panels.textContent()) ?? '';
      return code.replace('https://example.test', site.url);
    };
    const readAnswer = async (page: Page): Promise<string> =>
      (await page.locator('#answer').textContent()) ?? '';

    it('shows what curl prints', async () => {
      const { page } = await visit(`${site.url}/`);
      const command = await openTab(page, 'curl');
      const { stdout } = await promisify(execFile)('sh', [
        '-c',
        `${command} --silent`,
      ]);
      expect(stdout).toContain('"slug":"pound"');
      expect(await readAnswer(page)).toBe(stdout);
    });

    it('shows JavaScript that reads the response', async () => {
      const { page } = await visit(`${site.url}/`);
      const code = await openTab(page, 'JavaScript');
      const record = await page.evaluate(
        `(async () => { ${code}; return move; })()`,
      );
      expect(record).toEqual(JSON.parse(await readAnswer(page)));
    });

    it('shows Python code that reads the response', async () => {
      const { page } = await visit(`${site.url}/`);
      const code = await openTab(page, 'Python');
      const program = `${code}\nprint(json.dumps(move))`;
      const { stdout } = await promisify(execFile)('python3', ['-c', program]);
      expect(JSON.parse(stdout)).toEqual(JSON.parse(await readAnswer(page)));
    });

    it('moves between the tabs with arrow keys, and copies the visible code', async () => {
      const { page } = await visit(`${site.url}/`, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.getByRole('tab', { name: 'curl' }).focus();
      await page.keyboard.press('ArrowLeft');
      const readFocus = () => page.evaluate('document.activeElement.textContent');
      expect(await readFocus()).toBe('Python');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus()).toBe('curl');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus()).toBe('JavaScript');

      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied.').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(await page.getByRole('tabpanel').textContent());
      expect(copied).toContain('await fetch');
    });
  });

  it('finds records while the user types, shows more, and opens the best match with Enter', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/`);
    await page.locator('#query').fill('poke ball');
    await waitForSummary(page, '2 records');
    expect(await listResults(page)).toEqual(['Poké Ball', 'Left Poké Ball']);
    const image = page.locator('#results img').first();
    expect(await image.getAttribute('src')).toBe(
      `${site.url}/sprites/items/poke-ball.png`,
    );

    await page.locator('#query').fill('');
    await page.getByLabel('Kind').selectOption('move');
    await waitForSummary(page, '746 records');
    expect(await listResults(page)).toHaveLength(30);
    await page.getByRole('button', { name: 'Show more' }).click();
    const shown = await listResults(page);
    expect(shown).toHaveLength(60);
    expect(
      await page.evaluate('document.activeElement.querySelector("b").textContent'),
    ).toBe(shown[30]);

    await page.locator('#query').fill('thundrbolt');
    await waitForSummary(page, '2 records');
    expect(await page.locator('#more').isVisible()).toBe(false);
    await page.locator('#query').press('Enter');
    await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
    expect(page.url()).toBe(`${site.url}/api/gamedata/move/thunderbolt/?format=api`);
    await page.goBack();
    await waitForSummary(page, '2 records');
    await page.reload();
    await waitForSummary(page, '2 records');
    expect(await page.locator('#query').inputValue()).toBe('thundrbolt');
    await page.locator('#query').fill('no such thing');
    await waitForSummary(page, 'No records');
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('reports that the search index failed to load, and tries again', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.route('**/search.json', (route) => route.abort());
    await page.locator('#query').fill('potion');
    await waitForSummary(page, 'The search index could not be loaded');
    await page.unroute('**/search.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForSummary(page, '\\d+ records');
    expect((await listResults(page))[0]).toBe('Potion');
  });

  it('links to every list without JavaScript', async () => {
    const { page } = await visit(`${site.url}/`, { javaScriptEnabled: false });
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    // Playwright's text search skips noscript.
    expect(await page.locator('noscript p').textContent()).toContain(
      'require JavaScript and a web server',
    );
    expect(await page.locator('noscript p').isVisible()).toBe(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Items' }).click();
    await page.waitForURL('**/api/gamedata/item/');
  });
});
