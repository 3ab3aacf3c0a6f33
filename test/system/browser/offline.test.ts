import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import type { Respond } from '../../support/engines/engine.ts';
import {
  bundleWorker,
  fetchIn,
  forgetCheck,
  listCaches,
  readRecipe,
  readScript,
  type Site,
  startApp,
  startSite,
  stopWorkers,
  waitUntilStored,
} from '../../support/offline-world.ts';
import { rawRecords } from '../../support/sites.ts';

/** The date of the data in these tests. */
const DATE = '2026-01-02';
const REGISTER = "register('/sw.js')";
const html = { 'Content-Type': 'text/html' };

describe.skipIf(noBrowser !== '')(`the offline worker${noBrowser}`, () => {
  const visit = useBrowser();

  interface AppOptions {
    readonly worker?: string;
    /** Other files of the app. */
    readonly files?: Readonly<Record<string, string>>;
    readonly register?: string;
  }

  /** Opens an app, and waits until its worker has stored the data. */
  async function openApp(site: Site, options: AppOptions = {}) {
    const {
      worker = readRecipe('importScripts', site.url),
      register = readRecipe(REGISTER, site.url),
      files = {},
    } = options;
    const app = await startApp({
      'sw.js': worker,
      'own.json': '{"own":1}',
      ...files,
    });
    const { page } = await visit(`${app.url}/`);
    await page.evaluate(register);
    await waitUntilStored(page, site);
    await page.reload();
    return { app, page };
  }

  const moves = (site: Site, rest = ''): string => `${site.api}/move/${rest}`;

  async function countMoves(page: Page, site: Site): Promise<unknown> {
    const response = await fetchIn(page, moves(site));
    return typeof response === 'string' ? response : response.body.count;
  }

  it('answers requests from an app on another origin when the host is down, after one visit', async () => {
    const site = await startSite();
    const { page } = await openApp(site);
    await site.stop();
    const range = await fetchIn(page, moves(site, '?limit=7&offset=95'));
    expect(range).toMatchObject({ status: 200, date: DATE, body: { count: 250 } });
    const record = await fetchIn(page, moves(site, 'move-9/'));
    expect(record).toMatchObject({ status: 200, body: { id: 9, slug: 'move-9' } });
    const missing = await fetchIn(page, moves(site, 'nope/'));
    expect(missing).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    const post = await fetchIn(page, moves(site), { method: 'POST' });
    expect(post).toMatchObject({ status: 405 });

    await stopWorkers(page);
    expect(await countMoves(page, site)).toBe(250);
  });

  it('answers from the network as long as the host responds', async () => {
    const site = await startSite();
    const { page } = await openApp(site);
    const range = await fetchIn(page, moves(site, '?limit=7'));
    expect(range).toMatchObject({ status: 200, date: null });
    const missing = await fetchIn(page, moves(site, 'nope/'));
    expect(missing).toMatchObject({ status: 404, date: null });
  });

  it.each<[problem: string, respond: Respond]>([
    ['an error', async () => new Response('{}', { status: 503 })],
    [
      'a login page of another network',
      async () => new Response('log in', { headers: html }),
    ],
    ['nothing', () => new Promise(() => {})],
  ])(
    'answers from the stored data if the host responds with %s',
    async (_, respond) => {
      const site = await startSite();
      const { page } = await openApp(site);
      site.fail(respond);
      const response = await fetchIn(page, moves(site, '?limit=7'));
      expect(response).toMatchObject({
        status: 200,
        date: DATE,
        body: { count: 250 },
      });
    },
  );

  it('answers requests for any page range on a plain file server below a path', async () => {
    const site = await startSite('plain', '/games');
    const { page } = await openApp(site);
    const range = await fetchIn(page, moves(site, '?limit=2&offset=95'));
    const next = `${moves(site)}?format=api&limit=2&offset=97`;
    expect(range).toMatchObject({ date: DATE, body: { count: 250, next } });
    const file = await fetchIn(
      page,
      moves(site, 'offset/200/index.json?format=api'),
    );
    expect(file).toMatchObject({ date: DATE, body: { next: null } });
  });

  it('waits for the stored data on a plain file server, because the response of the server may be wrong', async () => {
    const site = await startSite('plain');
    const app = await startApp({ 'sw.js': await readScript(site) });
    site.fail(async () => new Response(null, { status: 503 }));
    const { page } = await visit(`${app.url}/`);
    await page.evaluate(`navigator.serviceWorker.register('/sw.js')`);
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.reload();
    // The first attempt failed, and the next one is in another run of the worker.
    site.fail(undefined);
    await stopWorkers(page);
    const range = await fetchIn(page, moves(site, '?limit=2'));
    expect(range).toMatchObject({ date: DATE, body: { count: 250 } });
  });

  it("leaves the app's other requests alone", async () => {
    const site = await startSite();
    const { app, page } = await openApp(site);
    app.requests.length = 0;
    expect(await fetchIn(page, '/own.json')).toMatchObject({ body: { own: 1 } });
    const post = await fetchIn(page, '/own.json', { method: 'POST', body: 'x' });
    expect(post).toMatchObject({ body: { own: 1 } });
    expect(app.requests).toEqual(['GET own.json', 'POST own.json']);
    await site.stop();
    const meta = await fetchIn(page, `${site.url}/meta.json`);
    expect(meta).toContain('Failed to fetch');
  });

  it('replaces all data at once, with a single download, while two pages are open', async () => {
    const site = await startSite('plain');
    const { app, page } = await openApp(site);
    const otherPage = await page.context().newPage();
    await otherPage.goto(`${app.url}/`);
    await site.publish(rawRecords(240, 5));
    await forgetCheck(page, site);
    site.requests.length = 0;
    const pages = [page, otherPage];
    for (const tab of pages) {
      await expect.poll(() => countMoves(tab, site)).toBe(240);
      const last = await fetchIn(tab, moves(site, '?limit=10&offset=235'));
      expect(last).toMatchObject({ body: { count: 240, next: null } });
      const gone = await fetchIn(tab, moves(site, 'move-245/'));
      expect(gone).toMatchObject({ status: 404 });
    }
    expect(
      site.requests.filter((path) => path === '/data/move.ndjson'),
    ).toHaveLength(1);
    expect(await listCaches(page)).toHaveLength(1);
  });

  it('is removed, together with its data, by the recipe for removal', async () => {
    const site = await startSite();
    const { app, page } = await openApp(site);
    app.files['sw.js'] = readRecipe('caches.delete', site.url);
    await page.evaluate(
      'navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)',
    );
    // The new worker takes over when no page uses the old one.
    const context = page.context();
    await page.close();
    const newPage = await context.newPage();
    await newPage.goto(`${app.url}/`);
    await expect.poll(() => listCaches(newPage)).toEqual([]);
    await site.stop();
    expect(await countMoves(newPage, site)).toContain('Failed to fetch');
  });

  it("cannot be registered by an app directly from the site's URL", async () => {
    const site = await startSite();
    const app = await startApp({});
    const { page } = await visit(`${app.url}/`);
    const url = JSON.stringify(`${site.url}/offline.js`);
    const error = await page.evaluate<string>(
      `navigator.serviceWorker.register(${url}).catch(({ name }) => name)`,
    );
    expect(error).toBe('SecurityError');
  });

  describe('in other recipes', () => {
    async function expectOffline({ page }: { readonly page: Page }, site: Site) {
      await site.stop();
      const range = await fetchIn(page, moves(site, '?limit=7'));
      expect(range).toMatchObject({ date: DATE, body: { count: 250 } });
    }

    it('works if an app serves its own copy', async () => {
      const site = await startSite();
      const files = { 'offline.js': await readScript(site) };
      const opened = await openApp(site, {
        worker: "importScripts('offline.js')",
        files,
      });
      await expectOffline(opened, site);
    });

    it('works in a module worker', async () => {
      const site = await startSite();
      const opened = await openApp(site, {
        worker: readRecipe('import ', site.url),
        files: { 'offline.js': await readScript(site) },
        register: `navigator.serviceWorker.register('/sw.js', { type: 'module' })`,
      });
      await expectOffline(opened, site);
    });

    it('works in a bundle', async () => {
      const site = await startSite();
      const worker = await bundleWorker(readRecipe('import ', site.url), {
        'offline.js': await readScript(site),
      });
      await expectOffline(await openApp(site, { worker }), site);
    });

    it('works with Workbox, which still answers from its own cache', async () => {
      const site = await startSite();
      const recipe = readRecipe('__WB_MANIFEST', site.url);
      const manifest = JSON.stringify([{ url: '/own.json', revision: '1' }]);
      const worker = await bundleWorker(
        `import { precacheAndRoute } from 'workbox-precaching';
        ${recipe.replace('self.__WB_MANIFEST', manifest)}`,
      );
      const opened = await openApp(site, { worker });
      await opened.app.stop();
      const own = await fetchIn(opened.page, '/own.json');
      expect(own).toMatchObject({ body: { own: 1 } });
      await expectOffline(opened, site);
    });
  });
});
