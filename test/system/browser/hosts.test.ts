import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { engines } from '../../support/engines/index.ts';
import { buildPageSite, removePageSite } from '../../support/page-site.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';
/**
 * Each of these engines serves a site below a path in a different way: by
 * configuration, code, rules or files.
 */
const shownBelow = ['nginx', 'gamedata serve', 'Cloudflare', 'GitHub Pages'];
const shown = engines
  // A proxy changes no pages.
  .filter(({ column }) => column === undefined)
  .flatMap((row) => [
    { ...row, below: '' },
    ...(shownBelow.includes(row.engine.name) ? [{ ...row, below: '/games' }] : []),
  ])
  .map((row) => ({ ...row, name: row.engine.name, missing: row.engine.missing() }));

describe.skipIf(noBrowser !== '')(`the pages${noBrowser}`, () => {
  const visit = useBrowser();
  const upstream = renamedSnapshot(sharedFolder(), 250);

  for (const { engine, name, links, unsupported, below, missing } of shown) {
    const reason =
      missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

    describe.skipIf(reason !== '')(
      `on ${name}${below && ', below a path'}${reason}`,
      () => {
        let site = '';
        let running: RunningEngine;
        beforeAll(async () => {
          expect(missing).toBeUndefined();
          const hosts = engine.host ? [engine.host] : [];
          const baseUrl = `https://example.test${below}`;
          site = await buildPageSite({
            upstream,
            links,
            baseUrl,
            hosts,
            maxShrink: 100,
          });
          running = await engine.start(site);
        });
        afterAll(async () => {
          await running?.stop();
          if (site) removePageSite(site);
        });

        const negotiates = !unsupported.includes('browser');
        const place = (address: string) =>
          running.url + (negotiates ? address : `/browse/index.html#${address}`);

        it('links from the front page to an item', async () => {
          const { page, problems, foreign } = await visit(`${running.url}/`);
          await page
            .locator('#lists + ul')
            .getByRole('link', { name: 'Items', exact: true })
            .click();
          await page.locator('h1', { hasText: 'All items' }).waitFor();
          // `serve` removes the slash.
          const address = () =>
            page
              .url()
              .replace(/\/browse(?:\/(?:index.html)?)?#/, '/browse/index.html#');
          expect(address()).toBe(place('/api/gamedata/item/'));
          const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
          await pages.getByRole('link', { name: 'Last' }).click();
          await page.getByText('Records 201 to 250 of 250').first().waitFor();
          await pages.getByRole('link', { name: 'First' }).click();
          await page.getByRole('link', { name: 'Poké Ball', exact: true }).click();
          await page.locator('h1', { hasText: /^Poké Ball$/ }).waitFor();
          const record = place('/api/gamedata/item/poke-ball/?format=api');
          expect(address()).toBe(record);
          expect(await page.locator('.json').textContent()).toContain(
            '"slug": "poke-ball"',
          );
          await page.goBack();
          await page.getByText('Records 1 to 100 of 250').first().waitFor();
          await page.goForward();
          await page.reload();
          await page.locator('h1', { hasText: /^Poké Ball$/ }).waitFor();
          expect([...problems, ...foreign]).toEqual([]);

          const { page: deep } = await visit(record);
          expect(await deep.locator('h1').textContent()).toBe('Poké Ball');
          await deep.getByRole('link', { name: 'gamedata', exact: true }).click();
          await deep.locator('h1', { hasText: 'Moves and items' }).waitFor();
        });

        it.runIf(below === '' && unsupported.includes('windows'))(
          'explains that the host does not serve other page sizes',
          async () => {
            const list = '/api/gamedata/move/?format=api';
            const { page } = await visit(place(`${list}&limit=100&offset=200`));
            await page.goto(place(`${list}&limit=20&offset=200`));
            // A new fragment loads nothing.
            const response = await page.reload();
            if (negotiates) expect(response?.status()).toBe(400);
            await page
              .locator('h1', { hasText: 'This page does not exist on this host' })
              .waitFor();
            expect(await page.locator('.lead').textContent()).toContain('multiple');
            await page
              .getByRole('link', { name: 'The page of 100 records at offset 200' })
              .click();
            await page.getByText('Records 201 to 250 of 250').first().waitFor();
          },
        );
      },
    );
  }
});
