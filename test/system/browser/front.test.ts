import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';

function listResults(page: Page): Promise<string[]> {
  return page.locator('#results b').allTextContents();
}

/** Waits until the text in the search field starts with a pattern. */
async function waitForSummary(page: Page, pattern: string): Promise<void> {
  const hasText = new RegExp(`^${pattern}`);
  await page.locator('#found', { hasText }).waitFor();
}

/** Waits until the request and response of a record are visible. */
async function waitForExchange(page: Page, slug: string): Promise<void> {
  await page.locator('.request-line em', { hasText: slug }).waitFor();
}

const readFocus = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement.textContent.trim()');

describe.skipIf(noBrowser !== '')(`the front page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();

  describe('the request and response', () => {
    /** Opens a tab, and returns its code. */
    async function openTab(page: Page, label: string): Promise<string> {
      await page.getByRole('tab', { name: label }).click();
      const panels = page.getByRole('tabpanel');
      expect(await panels.count()).toBe(1);
      return (await panels.textContent()) ?? '';
    }

    it('shows the response that the curl command prints', async () => {
      const { page } = await visit(`${site.url}/?q=pound`);
      await waitForExchange(page, 'pound');
      const command = await openTab(page, 'curl');
      const args = ['-c', `${command} --silent`];
      const { stdout } = await promisify(execFile)('sh', args);
      const shown = await page.locator('#answer').textContent();
      expect(JSON.parse(shown ?? '')).toEqual(JSON.parse(stdout));
      const status = await page.locator('.subject-status').textContent();
      expect(status).toMatch(/^200 \d+ bytes · \d+ ms$/);
    });

    it('requests the result that the user chooses', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.locator('#query').fill('thunder');
      await waitForExchange(page, 'thunder');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const second = page.locator('#results a').nth(1);
      expect(await second.getAttribute('aria-selected')).toBe('true');
      const slug = new URL((await second.getAttribute('href')) ?? '').pathname;
      const path = page.locator('.request-line code');
      await expect.poll(() => path.textContent()).toBe(slug);
    });

    it('keeps the last response if a request fails, and explains why', async () => {
      const { page } = await visit(`${site.url}/?q=pound`);
      await waitForExchange(page, 'pound');
      await page.route('**/thunderbolt/', (route) => route.abort());
      await page.locator('#query').fill('thunderbolt');
      await page.getByText('Thunderbolt could not be requested').waitFor();
      await waitForExchange(page, 'pound');
    });

    it('moves between the tabs with arrow keys', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.getByRole('tab', { name: 'curl' }).focus();
      await page.keyboard.press('ArrowLeft');
      expect(await readFocus(page)).toBe('Python');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus(page)).toBe('curl');
      await page.keyboard.press('ArrowRight');
      expect(await readFocus(page)).toBe('JavaScript');
    });

    it('keeps the tab open when another record is chosen, and copies its code', async () => {
      const { page } = await visit(`${site.url}/`, {
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      await page.getByRole('tab', { name: 'Python' }).click();
      await page.locator('#query').fill('pound');
      await waitForExchange(page, 'pound');
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied.').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      expect(copied).toBe(await page.getByRole('tabpanel').textContent());
      expect(copied).toContain(`urlopen("${site.url}/api/gamedata/move/pound/")`);
    });
  });

  describe('the search', () => {
    it('finds records while the user types', async () => {
      const { page, problems, foreign } = await visit(`${site.url}/`);
      await page.locator('#query').fill('poke ball');
      await waitForSummary(page, '2 of 1,700');
      expect(await listResults(page)).toEqual(['Poké Ball', 'Left Poké Ball']);
      expect([...problems, ...foreign]).toEqual([]);
    });

    it('says that there are no results, and disables the last response', async () => {
      const { page } = await visit(`${site.url}/?q=pound`);
      await waitForExchange(page, 'pound');
      await page.locator('#query').fill('zzzz');
      await page.getByText('No record has this id, slug or name').waitFor();
      await page.locator('#exchange[inert]').waitFor();
      await page.locator('#query').fill('growl');
      await waitForExchange(page, 'growl');
      expect(await page.locator('#exchange[inert]').count()).toBe(0);
    });

    it('chooses the first result on Enter, and opens it on a second Enter', async () => {
      const { page, problems, foreign } = await visit(`${site.url}/`);
      await page.locator('#query').fill('thundrbolt');
      await waitForSummary(page, '2 of');
      await page.locator('#query').press('Enter');
      const first = page.locator('#results a').first();
      expect(await first.getAttribute('aria-selected')).toBe('true');
      const active = await page
        .locator('#query')
        .getAttribute('aria-activedescendant');
      expect(active).toBe(await first.getAttribute('id'));
      await page.locator('#query').press('Enter');
      await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
      const record = '/api/gamedata/move/thunderbolt/?format=api';
      expect(page.url()).toBe(site.url + record);
      expect([...problems, ...foreign]).toEqual([]);
    });

    it('announces the results when the user stops typing', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.locator('#query').pressSequentially('thundrbolt');
      const announcement = page.locator('#announcement');
      await waitForSummary(page, '2 of');
      expect(await announcement.textContent()).toBe('');
      const text = '2 records, the first is Thunderbolt';
      await expect.poll(() => announcement.textContent()).toBe(text);
    });

    it('keeps the query when the user goes back and reloads the page', async () => {
      const { page } = await visit(`${site.url}/`);
      await page.locator('#query').fill('thundrbolt');
      await waitForSummary(page, '2 of');
      await page.locator('#results a').first().click();
      await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
      await page.goBack();
      await waitForSummary(page, '2 of');
      await page.reload();
      await waitForSummary(page, '2 of');
      expect(await page.locator('#query').inputValue()).toBe('thundrbolt');
    });
  });

  describe('the wall', () => {
    it('has a stripe for each generation, whose label links to its records', async () => {
      const { page } = await visit(`${site.url}/`);
      const label = page.locator('.stripe > a').first();
      expect((await label.textContent())?.trim()).toMatch(/^gen 1 \d+$/);
      await label.click();
      await page.locator('h1', { hasText: 'All moves' }).waitFor();
      expect(await page.locator('#generation').inputValue()).toBe('1');
      await waitForSummary(page, '\\d+ of 746');
    });

    it('has a cell for each record, but only one tab stop', async () => {
      const { page } = await visit(`${site.url}/`);
      const cells = page.locator('.cells a');
      await expect.poll(() => cells.count()).toBe(1700);
      expect(await page.locator('.cells a[tabindex="0"]').count()).toBe(1);
      await cells.first().focus();
      await page.keyboard.press('ArrowRight');
      const title = 'document.activeElement.title';
      expect(await page.evaluate(title)).toBe(
        await cells.nth(1).getAttribute('title'),
      );
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      expect(await page.evaluate(title)).toBe(
        await cells.nth(1).getAttribute('title'),
      );
      await page.keyboard.press('End');
      expect(await page.evaluate(title)).toBe(
        await cells.last().getAttribute('title'),
      );
    });

    it('raises the matches, and fades the rest, while the user types', async () => {
      const { page } = await visit(`${site.url}/`);
      await expect.poll(() => page.locator('.cells a').count()).toBe(1700);
      await page.locator('#query').fill('thundrbolt');
      await expect.poll(() => page.locator('.raised a').count()).toBe(2);
      await page.locator('#query').fill('');
      await expect.poll(() => page.locator('.raised a').count()).toBe(0);
      expect(await page.locator('.faded').count()).toBe(0);
    });

    it('can be skipped with a link', async () => {
      const { page } = await visit(`${site.url}/`);
      const skip = page.getByRole('link', { name: 'Skip the wall of records' });
      await skip.focus();
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#downloads');
    });
  });

  it('reports that the search index failed to load, and offers to try again', async () => {
    const { page } = await visit(`${site.url}/`, { serviceWorkers: 'block' });
    await page.route('**/search.json', (route) => route.abort());
    await page.reload();
    await page.locator('#query').fill('potion');
    await page.getByText('The search index could not be loaded').first().waitFor();
    await page.unroute('**/search.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForSummary(page, '\\d+ of');
    const [bestMatch] = await listResults(page);
    expect(bestMatch).toBe('Potion');
  });

  it('shows an example and links to every list without JavaScript', async () => {
    const { page } = await visit(`${site.url}/`, { javaScriptEnabled: false });
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    expect(await page.locator('#answer').textContent()).toContain(
      '"slug": "potion"',
    );
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
