import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

function listResults(page: Page): Promise<string[]> {
  return page.locator('#results b').allTextContents();
}

/** Waits until the text above the results starts with a pattern. */
async function waitForSummary(page: Page, pattern: string): Promise<void> {
  const hasText = new RegExp(`^${pattern}`);
  await page.locator('#found', { hasText }).waitFor();
}

describe.skipIf(noBrowser !== '')(`the front page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();

  it('loads at most 20 kB of compressed files', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/`);
    await page.waitForLoadState('networkidle');
    const requestedUrls = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map((entry) => entry.name)`,
    );
    const requestedPaths = requestedUrls.map((url) => new URL(url).pathname);
    expect(requestedPaths.sort()).toEqual([
      '/api/gamedata/',
      '/front.js',
      '/mark.svg',
      '/style.css',
    ]);

    let total = 0;
    for (const path of ['/', ...requestedPaths]) {
      const response = await fetch(site.url + path);
      const body = await response.arrayBuffer();
      total += gzipSync(body).length;
    }
    expect(total).toBeGreaterThan(4000);
    expect(total).toBeLessThan(20_000);
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('links only to files that exist', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.waitForLoadState('networkidle');
    const links = await page.evaluate<string[]>(`(() => {
      const links = document.querySelectorAll('a:not([href^="#"]):not([rel])');
      return Array.from(links, (link) => link.href);
    })()`);
    expect(links.length).toBeGreaterThan(6);
    for (const link of links) {
      const { status } = await fetch(link);
      expect(status, link).toBe(200);
    }
  });

  // Chromium reports a script that the Content-Security-Policy blocks.
  it('contains metadata that the Content-Security-Policy does not block', async () => {
    const { page, problems } = await visit(`${site.url}/`);
    const response = await fetch(site.url);
    const policy = response.headers.get('Content-Security-Policy');
    expect(policy).toContain("script-src 'self';");
    const metadata = page.locator('script[type="application/ld+json"]');
    const text = await metadata.textContent();
    expect(JSON.parse(text ?? '')).toMatchObject({ '@type': 'Dataset' });
    expect(problems).toEqual([]);
  });

  describe('the first request', () => {
    /** Opens a tab, and returns its code with the URL of the test's server. */
    async function openTab(page: Page, label: string): Promise<string> {
      await page.getByRole('tab', { name: label }).click();
      const panels = page.getByRole('tabpanel');
      expect(await panels.count()).toBe(1);
      const code = (await panels.textContent()) ?? '';
      return code.replace('https://example.test', site.url);
    }

    async function readShownResponse(page: Page): Promise<string> {
      const text = await page.locator('#answer').textContent();
      return text ?? '';
    }

    it('shows the response that the curl command prints', async () => {
      const { page } = await visit(`${site.url}/`);
      const command = await openTab(page, 'curl');
      const args = ['-c', `${command} --silent`];
      const { stdout } = await promisify(execFile)('sh', args);
      expect(stdout).toContain('"slug":"pound"');
      expect(await readShownResponse(page)).toBe(stdout);
    });

    it('moves between the tabs with arrow keys', async () => {
      const { page } = await visit(`${site.url}/`);
      const readFocus = () => page.evaluate('document.activeElement.textContent');
      await page.getByRole('tab', { name: 'curl' }).focus();
      await page.keyboard.press('ArrowLeft');
      expect(await readFocus()).toBe('Python');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus()).toBe('curl');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus()).toBe('JavaScript');
    });

    it('copies the code in the open tab', async () => {
      const { page } = await visit(`${site.url}/`, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.getByRole('tab', { name: 'JavaScript' }).click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied.').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(await page.getByRole('tabpanel').textContent());
      expect(copied).toContain('await fetch');
    });
  });

  describe('the search', () => {
    it('finds records while the user types', async () => {
      const { page, problems, foreign } = await visit(`${site.url}/`);
      await page.locator('#query').fill('poke ball');
      await waitForSummary(page, '2 records');
      expect(await listResults(page)).toEqual(['Poké Ball', 'Left Poké Ball']);
      const icon = page.locator('#results img').first();
      const iconUrl = `${site.url}/sprites/items/poke-ball.png`;
      expect(await icon.getAttribute('src')).toBe(iconUrl);
      expect([...problems, ...foreign]).toEqual([]);
    });

    it('shows 30 more records when the user asks for more, and focuses the first of them', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.getByLabel('Kind').selectOption('move');
      await waitForSummary(page, '746 records');
      expect(await listResults(page)).toHaveLength(30);
      await page.getByRole('button', { name: 'Show more' }).click();
      const names = await listResults(page);
      expect(names).toHaveLength(60);
      const focusedName = await page.evaluate(
        `document.activeElement.querySelector('b').textContent`,
      );
      expect(focusedName).toBe(names[30]);
    });

    it('opens the best match when the user presses Enter', async () => {
      const { page, problems, foreign } = await visit(`${site.url}/`);
      await page.locator('#query').fill('thundrbolt');
      await waitForSummary(page, '2 records');
      await page.locator('#query').press('Enter');
      await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
      const record = '/api/gamedata/move/thunderbolt/?format=api';
      expect(page.url()).toBe(site.url + record);
      expect([...problems, ...foreign]).toEqual([]);
    });

    it('keeps the query when the user goes back and reloads the page', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.locator('#query').fill('thundrbolt');
      await waitForSummary(page, '2 records');
      await page.locator('#query').press('Enter');
      await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
      await page.goBack();
      await waitForSummary(page, '2 records');
      await page.reload();
      await waitForSummary(page, '2 records');
      expect(await page.locator('#query').inputValue()).toBe('thundrbolt');
    });
  });

  it('reports that the search index failed to load, and offers to try again', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.route('**/search.json', (route) => route.abort());
    await page.locator('#query').fill('potion');
    await waitForSummary(page, 'The search index could not be loaded');
    await page.unroute('**/search.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForSummary(page, '\\d+ records');
    const [bestMatch] = await listResults(page);
    expect(bestMatch).toBe('Potion');
  });

  it('links to every list without JavaScript', async () => {
    const { page } = await visit(`${site.url}/`, { javaScriptEnabled: false });
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    // We use a selector because Playwright's text search skips noscript.
    const explanation = page.locator('noscript p');
    const text = await explanation.textContent();
    expect(text).toContain('require JavaScript and a web server');
    expect(await explanation.isVisible()).toBe(true);
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name: 'Items' }).click();
    await page.waitForURL('**/api/gamedata/item/');
  });
});
