import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getCachePrefix } from '../../../src/contract/offline.ts';
import type { Bytes } from '../../../src/serve/handler/asset-store.ts';
import { createLibrary } from '../../../src/serve/offline/library.ts';
import { createSiteStorage } from '../../../src/serve/offline/site-storage.ts';
import type {
  StoredCache,
  StoredCaches,
} from '../../../src/serve/offline/worker-scope.ts';
import { bodiesByPath } from '../../support/body.ts';
import { namesIn } from '../../support/kinds.ts';
import { rawRecords, siteOf } from '../../support/sites.ts';

const baseUrl = 'https://example.test';
const prefix = getCachePrefix(baseUrl, 'data');
const NAMES = 'names/fr.json';

/** Creates caches in memory. Storing fails for the URLs that `isFull` matches. */
function createCaches(isFull: (url: string) => boolean = () => false) {
  const bodies = new Map<string, Map<string, Bytes>>();

  function createCache(entries: Map<string, Bytes>): StoredCache {
    return {
      async match(url) {
        const body = entries.get(url);
        return body && new Response(body);
      },
      async put(url, response) {
        if (isFull(url)) throw new Error('storage is full');
        entries.set(url, new Uint8Array(await response.arrayBuffer()));
      },
      keys: async () => [...entries.keys()].map((url) => ({ url })),
    };
  }

  const caches: StoredCaches = {
    async open(name) {
      const entries = bodies.get(name) ?? new Map<string, Bytes>();
      bodies.set(name, entries);
      return createCache(entries);
    },
    delete: async (name) => bodies.delete(name),
    keys: async () => [...bodies.keys()],
  };
  return { caches, bodies };
}

/** A site on a host. Its files change when the test publishes other moves. */
function createHost(moves: number) {
  const files = new Map<string, Bytes>();
  const requests: string[] = [];

  function publish(count: number): void {
    const site = siteOf(rawRecords(count, 2));
    for (const [path, body] of bodiesByPath(site.files())) files.set(path, body);
    const names = namesIn('fr', { move: {} });
    files.set(NAMES, new TextEncoder().encode(JSON.stringify(names)));
  }

  async function fetchFile(file: string): Promise<Bytes> {
    requests.push(file);
    const body = files.get(file);
    if (!body) throw new Error(`${file}: got status 404, expected 200`);
    return body;
  }

  publish(moves);
  return { files, requests, publish, fetchFile };
}

interface World {
  readonly host?: ReturnType<typeof createHost>;
  readonly stored?: ReturnType<typeof createCaches>;
  readonly pageFiles?: readonly string[];
  readonly mayStart?: boolean;
}

function startLibrary({
  host = createHost(3),
  stored = createCaches(),
  pageFiles = [],
  mayStart = true,
}: World) {
  const format = 1;
  const { caches } = stored;
  const storage = createSiteStorage({ caches, baseUrl, prefix, format });
  const { fetchFile } = host;
  return createLibrary({ storage, fetchFile, format, pageFiles, mayStart });
}

type Library = ReturnType<typeof startLibrary>;

/** Returns the number of moves in the stored list. */
async function countMoves(library: Library): Promise<number | undefined> {
  const site = await library.read();
  const page = await site?.store.get('api/gamedata/move/index.json');
  return page && JSON.parse(new TextDecoder().decode(page.body)).count;
}

/** Sets a clock that tests can advance. */
function setClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

const waitMinutes = (minutes: number): void =>
  void vi.setSystemTime(Date.now() + minutes * 60_000);

describe('the library of an app', () => {
  it('stores the data set, so that another worker finds it without a request', async () => {
    const stored = createCaches();
    const first = startLibrary({ stored });
    await first.refresh();
    const host = createHost(5);
    const second = startLibrary({ stored, host });
    expect([await countMoves(first), await countMoves(second)]).toEqual([3, 3]);
    expect(host.requests).toEqual([]);
  });

  it('downloads only meta.json and the data set', async () => {
    const host = createHost(3);
    await startLibrary({ host }).refresh();
    expect(host.requests.sort()).toEqual([
      'data/dataset.json',
      'data/item.ndjson',
      'data/move.ndjson',
      'data/old-slugs.json',
      'meta.json',
    ]);
  });

  it('requests meta.json at most once every five minutes, even after a restart', async () => {
    setClock();
    const host = createHost(3);
    const stored = createCaches();
    await startLibrary({ host, stored }).refresh();
    waitMinutes(6);
    host.requests.length = 0;
    for (const pause of [0, 1, 3]) {
      waitMinutes(pause);
      const library = startLibrary({ host, stored });
      await library.refresh();
      await library.refresh();
    }
    expect(host.requests).toEqual(['meta.json']);
    waitMinutes(2);
    await startLibrary({ host, stored }).refresh();
    expect(host.requests).toEqual(['meta.json', 'meta.json']);
  });

  it('replaces the data if meta.json has changed, and removes the previous cache', async () => {
    setClock();
    const host = createHost(3);
    const stored = createCaches();
    const library = startLibrary({ host, stored });
    await library.refresh();
    host.publish(4);
    waitMinutes(6);
    await library.refresh();
    expect(await countMoves(library)).toBe(4);
    expect(await countMoves(startLibrary({ stored }))).toBe(4);
    expect(stored.bodies.size).toBe(1);
  });

  it.each([
    ['a data set file is from another build', 'data/move.ndjson'],
    ['dataset.json is from another build', 'data/dataset.json'],
    ['a file is missing', undefined],
  ])('keeps the previous data if %s', async (_, staleFile) => {
    setClock();
    const host = createHost(3);
    const stored = createCaches();
    const library = startLibrary({ host, stored });
    await library.refresh();
    const stale = staleFile && host.files.get(staleFile);
    host.publish(4);
    if (staleFile && stale) host.files.set(staleFile, stale);
    else host.files.delete('data/old-slugs.json');
    waitMinutes(6);
    await expect(library.refresh()).rejects.toThrow(/dataset\.json|404/);
    expect(await countMoves(library)).toBe(3);
    expect(stored.bodies.size).toBe(1);
  });

  it.each(['/data/move.ndjson', '/meta.json'])(
    'keeps the previous data if storage is full when it stores %s',
    async (file) => {
      setClock();
      const host = createHost(3);
      let isFull = false;
      const stored = createCaches((url) => isFull && url.endsWith(file));
      const library = startLibrary({ host, stored });
      await library.refresh();
      host.publish(4);
      isFull = true;
      waitMinutes(6);
      await expect(library.refresh()).rejects.toThrow('storage is full');
      expect(await countMoves(library)).toBe(3);
      expect(await countMoves(startLibrary({ stored }))).toBe(3);
      expect(stored.bodies.size).toBe(1);
    },
  );

  it('ignores an incomplete cache, and removes it when it stores new data', async () => {
    const stored = createCaches();
    await stored.caches.open(`${prefix}2026-01-02T00:00:00.000Z`);
    const library = startLibrary({ stored });
    expect(await library.read()).toBeUndefined();
    await library.refresh();
    expect(stored.bodies.size).toBe(1);
  });

  it('does not remove the caches of other sites or of our own pages', async () => {
    const stored = createCaches();
    const others = [
      'other',
      `${getCachePrefix(`${baseUrl}/ab`, 'data')}x`,
      `${getCachePrefix(baseUrl, 'site')}x`,
    ];
    for (const name of others) await stored.caches.open(name);
    await startLibrary({ stored }).refresh();
    expect(await stored.caches.keys()).toEqual([
      ...others,
      expect.stringContaining(prefix),
    ]);
  });

  it('ignores stored data in another format', async () => {
    const stored = createCaches();
    const cache = await stored.caches.open(`${prefix}x`);
    await cache.put(`${baseUrl}/meta.json`, new Response('{"format":2}'));
    expect(await startLibrary({ stored }).read()).toBeUndefined();
  });

  it('does not store a site in another format', async () => {
    const host = createHost(3);
    host.files.set('meta.json', new TextEncoder().encode('{"format":2}'));
    const library = startLibrary({ host });
    await expect(library.refresh()).rejects.toThrow('got format 2, expected 1');
    expect(host.requests).toEqual(['meta.json']);
  });
});

describe('the library of our own pages', () => {
  const pages = { pageFiles: ['404.json'], mayStart: false };

  it('stores the pages together with the data', async () => {
    const library = startLibrary(pages);
    await library.download();
    const site = await library.read();
    expect(await site?.store.get('404.json')).toBeDefined();
  });

  it('does not store the site again after the caches have been removed', async () => {
    setClock();
    const stored = createCaches();
    const library = startLibrary({ ...pages, stored });
    await library.download();
    stored.bodies.clear();
    waitMinutes(6);
    await library.refresh();
    expect(stored.bodies.size).toBe(0);
  });
});
