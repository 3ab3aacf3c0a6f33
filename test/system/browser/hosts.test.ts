/** The pages on every real engine: from the front page to an item, at the API's own addresses or behind a hash. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { engines } from '../../support/engines/index.ts';
import { buildPageSite, removePageSite } from '../../support/page-site.ts';

const demandsAll = process.env.ENGINES === 'all';
/** The page is served instead of JSON at the same address. */
const negotiates = ({ unsupported }: (typeof engines)[number]): boolean => !unsupported.includes('browser');

/** Serves a site by an engine until the test ends. */
async function serveBy({ engine, links }: (typeof engines)[number], below = ''): Promise<string> {
  const hosts = engine.host ? [engine.host] : [];
  const site = await buildPageSite({ links, baseUrl: `https://example.test${below}`, hosts });
  onTestFinished(() => removePageSite(site));
  const { url, stop } = await engine.start(site);
  onTestFinished(stop);
  return url;
}

describe.skipIf(noBrowser !== '')(`the pages${noBrowser}`, () => {
  const visit = useBrowser();

  // What a fallback adds is the contract's, not the pages'.
  for (const row of engines.filter(({ fallback }) => !fallback)) {
    const { engine } = row;
    const missing = engine.missing();
    const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

    /** Each in its own way: by configuration, by code, by rules, by files. */
    const isShownBelow = ['nginx', 'gamedata serve', 'Cloudflare', 'GitHub Pages'].includes(engine.name);
    it.skipIf(reason !== '').each([['', ''], ...(isShownBelow ? [[', below a path', '/games']] : [])])(
      `lead from the front page to an item on ${engine.name}${reason}%s`,
      async (_, below) => {
        expect(missing).toBeUndefined();
        const url = await serveBy(row, below);
        const prefix = negotiates(row) ? url : `${url}/browse/#`;
        const { page, problems, foreign } = await visit(`${url}/`);
        await page.waitForLoadState('networkidle');
        await page.locator('#lists + ul').getByRole('link', { name: 'Items', exact: true }).click();
        await page.locator('h1', { hasText: 'All items' }).waitFor();
        // `serve` takes the slash away.
        expect(page.url().replace('/browse#', '/browse/#')).toBe(`${prefix}/api/gamedata/item/`);
        const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
        for (const [step, range] of [
          ['Next', '101 to 200'],
          ['Last', '901 to 954'],
          ['Previous', '801 to 900'],
          ['First', '1 to 100'],
        ]) {
          await pages.getByRole('link', { name: step ?? '' }).click();
          await page.getByText(`Records ${range} of 954`).first().waitFor();
        }
        await page.getByRole('link', { name: 'Poké Ball', exact: true }).click();
        await page.locator('h1', { hasText: /^Poké Ball$/ }).waitFor();
        const at = `${prefix}/api/gamedata/item/poke-ball/?format=api`;
        expect(page.url().replace('/browse#', '/browse/#')).toBe(at);
        expect(await page.locator('.json').textContent()).toContain('"slug": "poke-ball"');
        await page.goBack();
        await page.getByText('Records 1 to 100 of 954').first().waitFor();
        await page.goForward();
        await page.reload();
        await page.locator('h1', { hasText: /^Poké Ball$/ }).waitFor();
        expect([...problems, ...foreign]).toEqual([]);

        const { page: deep } = await visit(at);
        expect(await deep.locator('h1').textContent()).toBe('Poké Ball');
        await deep.getByRole('link', { name: 'gamedata', exact: true }).click();
        await deep.locator('h1', { hasText: 'Moves and items' }).waitFor();
      },
    );

    it.skipIf(reason !== '')(`offer only page sizes that are served on ${engine.name}${reason}`, async () => {
      const url = await serveBy(row);
      const place = (address: string) => (negotiates(row) ? url + address : `${url}/browse/#${address}`);
      const list = '/api/gamedata/move/?format=api';
      const { page } = await visit(place(`${list}&limit=100&offset=200`));
      const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
      if (!row.unsupported.includes('windows')) {
        await pages.getByRole('link', { name: '20', exact: true }).click();
        await page.getByText('Records 201 to 220 of 746').first().waitFor();
        return;
      }
      expect(await page.getByText('Page size').count()).toBe(0);
      await page.goto(place(`${list}&limit=20&offset=200`));
      // Only the fragment may differ, which loads nothing.
      const response = await page.reload();
      if (negotiates(row)) expect(response?.status()).toBe(400);
      await page.locator('h1', { hasText: 'This page does not exist on this host' }).waitFor();
      expect(await page.locator('.lead').textContent()).toContain('multiple');
      await page.getByRole('link', { name: 'The page of 100 records at offset 200' }).click();
      await page.getByText('Records 201 to 300 of 746').first().waitFor();
    });
  }
});
