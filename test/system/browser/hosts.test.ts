import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { type EngineRow, engines } from '../../support/engines/index.ts';
import { buildPageSite } from '../../support/page-site.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';
/**
 * Each of these engines serves a site below a path in a different way: by
 * configuration, code, rules or files.
 */
const enginesBelowPath = ['nginx', 'gamedata serve', 'Cloudflare', 'GitHub Pages'];

interface TestedSite extends EngineRow {
  /** The path of the site's base URL, such as `/games`. */
  readonly below: string;
}

function listTestedSites(): TestedSite[] {
  const testedSites: TestedSite[] = [];
  for (const row of engines) {
    // Proxies do not change pages.
    if (row.engine.name.includes(' behind ')) continue;
    testedSites.push({ ...row, below: '' });
    if (enginesBelowPath.includes(row.engine.name)) {
      testedSites.push({ ...row, below: '/games' });
    }
  }
  return testedSites;
}

function describeSite({ engine, below }: TestedSite, skipReason: string): string {
  const location = below === '' ? '' : ', below a path';
  return `on ${engine.name}${location}${skipReason}`;
}

const folder = sharedFolder();
const upstream = await renamedSnapshot(path.join(folder, 'data'), 250);

describe.skipIf(noBrowser !== '')(`the pages${noBrowser}`, () => {
  const visit = useBrowser();

  for (const testedSite of listTestedSites()) {
    const { engine, links, unsupported, below } = testedSite;
    const missing = engine.missing();
    const isSkipped = missing !== undefined && !demandsAll;
    const skipReason = isSkipped ? ` (skipped: ${missing})` : '';

    describe.skipIf(isSkipped)(describeSite(testedSite, skipReason), () => {
      let running: RunningEngine;
      beforeAll(async () => {
        expect(missing).toBeUndefined();
        const hosts = engine.host ? [engine.host] : [];
        const baseUrl = `https://example.test${below}`;
        const site = await buildPageSite(mkdtempSync(path.join(folder, 'site-')), {
          upstream,
          links,
          baseUrl,
          hosts,
          maxShrink: 100,
        });
        running = await engine.start(site);
      });
      afterAll(() => running?.stop());

      const negotiates = !unsupported.includes('browser');

      /** Returns the URL of the page for an API address. */
      function getPageUrl(address: string): string {
        if (negotiates) return running.url + address;
        return `${running.url}/browse/index.html#${address}`;
      }

      /** Returns the page's URL, with the file name that some servers remove. */
      function readPageUrl(page: Page): string {
        const browsePage = /\/browse(?:\/(?:index.html)?)?#/;
        return page.url().replace(browsePage, '/browse/index.html#');
      }

      async function waitForItem(page: Page): Promise<void> {
        await page.locator('h1', { hasText: /^Poké Ball$/ }).waitFor();
      }

      const ITEM = '/api/gamedata/item/poke-ball/?format=api';

      it('lead from the front page to a list and an item, back to the list, and from the item to the front page', async () => {
        const { page, problems, foreign } = await visit(`${running.url}/`);
        const navigation = page.getByRole('navigation', { name: 'Site' });
        await navigation.getByRole('link', { name: 'Items' }).click();
        await page.locator('h1', { hasText: 'All items' }).waitFor();
        expect(readPageUrl(page)).toBe(getPageUrl('/api/gamedata/item/'));
        await page.getByRole('link', { name: 'Poké Ball', exact: true }).click();
        await waitForItem(page);
        expect(readPageUrl(page)).toBe(getPageUrl(ITEM));

        await page.goBack();
        await page.getByText('Records 1 to 100 of 250').first().waitFor();
        await page.goForward();
        await page.reload();
        await waitForItem(page);
        await page.getByRole('link', { name: 'gamedata', exact: true }).click();
        await page.locator('h1', { hasText: 'has a URL' }).waitFor();
        expect([...problems, ...foreign]).toEqual([]);
      });

      it.runIf(below === '' && unsupported.includes('page-ranges'))(
        'explain that the host does not serve other page sizes',
        async () => {
          const list = '/api/gamedata/move/?format=api';
          const { page } = await visit(getPageUrl(`${list}&limit=100&offset=200`));
          await page.goto(getPageUrl(`${list}&limit=20&offset=200`));
          // If only the fragment changes, the browser loads nothing.
          const response = await page.reload();
          if (negotiates) expect(response?.status()).toBe(400);
          await page
            .locator('h1', { hasText: 'This page does not exist on this host' })
            .waitFor();
          const reason = await page.locator('.lead').textContent();
          expect(reason).toContain('multiple');
          const suggestion = 'The page of 100 records at offset 200';
          await page.getByRole('link', { name: suggestion }).click();
          await page.getByText('Records 201 to 250 of 250').first().waitFor();
        },
      );
    });
  }
});
