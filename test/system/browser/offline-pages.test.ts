import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import {
  fetchIn,
  forgetCheck,
  listCaches,
  readRecipe,
  type Site,
  startSite,
} from '../../support/offline-world.ts';
import { usePageSite } from '../../support/page-site.ts';
import { rawMove, rawRecords } from '../../support/sites.ts';

const DATE = '2026-01-02';
const { move, item } = rawRecords(250, 5);
const pound = rawMove(1, { slug: 'pound', names: { fr: 'Écras’Face' } });
const named = { move: move.with(0, pound), item };

describe.skipIf(noBrowser !== '')(`the switch on the front page${noBrowser}`, () => {
  const visit = useBrowser();

  const findSwitch = (page: Page) =>
    page.getByRole('switch', { name: 'Keep this API in this browser' });

  async function waitForStatus(page: Page, text: string | RegExp): Promise<void> {
    await page.locator('#offline [role="status"]', { hasText: text }).waitFor();
  }

  async function waitForStoredDate(page: Page): Promise<void> {
    const hasText = 'stored data of January 2, 2026';
    await page.locator('#stored-date', { hasText }).waitFor();
  }

  /** Opens the front page, switches the storage on, and reloads the page. */
  async function openStored(site: Site) {
    await site.publish(named);
    const { page, problems } = await visit(`${site.url}/`);
    await findSwitch(page).check();
    await waitForStatus(page, 'Stored.');
    await page.reload();
    await findSwitch(page).waitFor();
    expect(problems).toEqual([]);
    return page;
  }

  async function searchFor(page: Page, query: string): Promise<void> {
    await page.locator('#query').fill(query);
    await page.locator('#results a').first().waitFor();
  }

  /** Requests the French names, and not from the browser's own cache. */
  const fetchNames = (page: Page, site: Site) =>
    fetchIn(page, `${site.url}/names/fr.json`, { cache: 'no-store' });

  const listRegistrations = (page: Page): Promise<string[]> =>
    page.evaluate<string[]>(
      `navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))`,
    );

  it('keeps the pages, the search and the API available when the host is down', async () => {
    const site = await startSite();
    const page = await openStored(site);
    await fetchNames(page, site);
    await site.stop();

    await page.reload();
    await waitForStoredDate(page);
    await searchFor(page, 'move-9');
    const names = await fetchNames(page, site);
    expect(names).toMatchObject({ date: DATE, body: { language: 'fr' } });
    await page.goto(`${site.url}/api/gamedata/move/?limit=7&offset=7`);
    await page.getByText('Records 8 to 14 of 250').first().waitFor();
    await page.getByRole('link', { name: 'Move 9', exact: true }).click();
    await page.locator('h1', { hasText: 'Move 9' }).waitFor();
    await page.goto(`${site.url}/docs/`);
    await page.locator('h1').waitFor();
  });

  it('works for a site below a path on a plain file server', async () => {
    const site = await startSite('plain', '/games');
    const page = await openStored(site);
    expect(await listRegistrations(page)).toEqual([`${site.url}/`]);
    await site.stop();
    await page.reload();
    await waitForStoredDate(page);
    await page.goto(`${site.url}/browse/index.html#/api/gamedata/move/move-9/`);
    await page.locator('h1', { hasText: 'Move 9' }).waitFor();
  });

  it('updates pages and data together, and keeps the names that were used available', async () => {
    const site = await startSite();
    const page = await openStored(site);
    await fetchNames(page, site);
    const oldCaches = await listCaches(page);
    await site.publish({ move: named.move.slice(0, 240), item });
    await forgetCheck(page, site);
    await fetchIn(page, `${site.url}/api/gamedata/`);
    await expect.poll(() => listCaches(page)).not.toEqual(oldCaches);
    await expect.poll(async () => (await listCaches(page)).length).toBe(1);
    await site.stop();
    await page.reload();
    await page.locator('.lead', { hasText: '240 moves' }).waitFor();
    const names = await fetchNames(page, site);
    expect(names).toMatchObject({ status: 200, date: DATE });
  });

  it('does not answer requests for files that are not part of the site', async () => {
    const site = await startSite();
    const page = await openStored(site);
    await site.stop();
    const own = await fetchIn(page, `${site.url}/own.html`);
    expect(own).toContain('Failed to fetch');
  });

  it('removes the worker and everything that it stored when turned off', async () => {
    const site = await startSite();
    const page = await openStored(site);
    await findSwitch(page).uncheck();
    await waitForStatus(page, 'Removed.');
    await fetchIn(page, `${site.url}/api/gamedata/`);
    expect(await listCaches(page)).toEqual([]);
    expect(await listRegistrations(page)).toEqual([]);

    await findSwitch(page).check();
    await waitForStatus(page, 'Stored.');
    await page.reload();
    await site.stop();
    await page.reload();
    await waitForStoredDate(page);
  });

  it('installs a worker that operators can remove with a script', async () => {
    const site = await startSite();
    const page = await openStored(site);
    const script = readRecipe('unregister', site.url, 'docs/OPERATING.md');
    await page.evaluate(`(async () => { ${script} })()`);
    await expect.poll(() => listRegistrations(page)).toEqual([]);
  });

  it('reports an error if the site cannot be stored', async () => {
    const site = await startSite();
    const { page } = await visit(`${site.url}/`);
    site.fail(async ({ url }) => {
      const isScript = url.endsWith('/offline.js');
      if (isScript) return site.respond(new Request(url));
      return new Response(null, { status: 503 });
    });
    await findSwitch(page).check();
    await waitForStatus(page, 'This did not work');
    expect(await findSwitch(page).isChecked()).toBe(false);
    expect(await listCaches(page)).toEqual([]);
  });

  it('does not appear if another worker has the same scope', async () => {
    const site = await startSite();
    const { page } = await visit(`${site.url}/`);
    site.fail(async () => {
      const headers = { 'Content-Type': 'text/javascript' };
      return new Response('// the worker of the operator', { headers });
    });
    await page.evaluate(
      `navigator.serviceWorker.register('/own-worker.js').then(() => true)`,
    );
    site.fail(undefined);
    await page.reload();
    await page.waitForLoadState('networkidle');
    expect(await findSwitch(page).count()).toBe(0);
  });

  describe('at an address other than the base URL', () => {
    const elsewhere = usePageSite();

    it('does not appear', async () => {
      const { page } = await visit(`${elsewhere.url}/`);
      await page.waitForLoadState('networkidle');
      expect(await findSwitch(page).count()).toBe(0);
    });
  });
});
