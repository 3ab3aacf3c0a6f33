import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { type CacheEntry, openCache } from '../../src/http/cache.ts';
import { closeOnAbort } from '../../src/http/client.ts';
import {
  createFetcher,
  type FetcherOptions,
  withFetcher,
} from '../../src/http/fetcher.ts';
import { editionNumber, namedEdition } from '../support/editions.ts';
import {
  body,
  type Responder,
  startServer,
  status,
  testClient,
} from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

const HOUR = 3_600_000;
const codec = {
  decode: decodeJson,
  revive: (cached: unknown) => (cached === 'invalid' ? undefined : cached),
};

/**
 * Starts a server and a fetcher with an empty cache. By default, the server confirms
 * the ETag `"1"` and sends an edition.
 */
async function scene(respond?: Responder) {
  let edition = 0;
  const server = await startServer((response, request, at) => {
    if (respond) return respond(response, request, at);
    response.setHeader('etag', '"1"');
    response.setHeader('cache-control', 'max-age=86400');
    if (edition > 0) {
      const { hash, deployed } = editionNumber(edition);
      response.setHeader('x-pokeapi-hash', hash);
      response.setHeader('x-pokeapi-deploy-date', String(deployed));
    }
    const isKnown = request.headers['if-none-match'] === '"1"';
    if (isKnown) response.writeHead(304).end();
    else response.writeHead(200).end('"new"');
  });
  const cache = openCache(temporaryFolder(), {
    upstream: 'https://upstream.test',
    version: '1',
  });
  const fetcher = createFetcher(testClient(), cache);
  const deploy = (next: number): void => {
    edition = next;
  };
  const validators = () =>
    server.requests.map(({ headers }) => headers['if-none-match']);
  return { server, url: `${server.url}/a?b=c`, cache, fetcher, deploy, validators };
}

async function cachedScene(entry: Partial<CacheEntry>) {
  const prepared = await scene();
  const stored = {
    etag: '"1"',
    storedAt: Date.now() - HOUR,
    freshUntil: Date.now() + HOUR,
    value: 'old',
  };
  prepared.cache.put({ url: prepared.url, ...stored, ...entry });
  return prepared;
}

describe('load', () => {
  const past = Date.now() - 1000;
  it.each<
    [string, entry: Partial<CacheEntry>, gives: string, sent: (string | undefined)[]]
  >([
    ['uses a fresh value', {}, 'old', []],
    ['revalidates a stale value', { freshUntil: past }, 'old', ['"1"']],
    [
      'revalidates a value from the future',
      { storedAt: Date.now() + HOUR },
      'old',
      ['"1"'],
    ],
    ['replaces a changed value', { etag: '"0"', freshUntil: past }, 'new', ['"0"']],
    [
      'replaces a stale value without a validator',
      { etag: undefined, freshUntil: past },
      'new',
      [undefined],
    ],
    ['replaces an invalid value', { value: 'invalid' }, 'new', [undefined]],
  ])('%s', async (_, entry, gives, sent) => {
    const { fetcher, validators, url } = await cachedScene(entry);
    expect(await fetcher.load(url, codec)).toEqual({ value: gives, edition: null });
    expect(validators()).toEqual(sent);
    expect(fetcher.stats.cacheHits).toBe(gives === 'old' ? 1 : 0);
    await fetcher.load(url, codec);
    expect(validators(), 'fresh again').toEqual(sent);
    await fetcher.load(url, codec, { revalidate: true });
    expect(validators(), 'if required').toEqual([...sent, '"1"']);
  });

  it('stores the edition of the response or, after a 304 without one, the cached edition', async () => {
    const { url, cache, fetcher, deploy, validators } = await scene();
    const rows = [
      { deployed: 0, edition: null, freshHours: 1 },
      { deployed: 1, edition: namedEdition(1), freshHours: 20 },
      { deployed: 2, edition: namedEdition(2), freshHours: 20 },
      // This 304 has no edition.
      { deployed: 0, edition: namedEdition(2), freshHours: 20 },
    ];
    for (const { deployed, edition, freshHours } of rows) {
      deploy(deployed);
      const loaded = await fetcher.load(url, codec, { revalidate: true });
      expect(loaded).toEqual({ value: 'new', edition });
      const { storedAt = 0, ...entry } = cache.get(url) ?? {};
      const freshUntil = storedAt + freshHours * HOUR;
      const expected = {
        url,
        etag: '"1"',
        freshUntil,
        edition: edition ?? undefined,
      };
      expect(entry).toEqual({ ...expected, value: 'new' });
    }
    expect(validators()).toEqual([undefined, '"1"', '"1"', '"1"']);
  });

  it('caches the response to a cache-busting URL under the original URL', async () => {
    const { server, cache, fetcher } = await scene();
    const url = `${server.url}/a`;
    await fetcher.load(url, codec, { urlOverride: `${server.url}/b` });
    expect(cache.get(url)?.value).toBe('new');
    expect(cache.get(`${server.url}/b`)).toBeUndefined();
  });

  it('sends no validators to a cache-busting URL by default', async () => {
    const { server, fetcher } = await scene();
    const url = `${server.url}/a`;
    await fetcher.load(url, codec);
    await fetcher.load(url, codec, { urlOverride: `${server.url}/b` });
    await fetcher.load(url, codec, {
      urlOverride: `${server.url}/c`,
      revalidate: true,
    });
    const requests = server.requests.map(({ path, headers }) => [
      path,
      headers['if-none-match'],
    ]);
    expect(requests).toEqual([
      ['/a', undefined],
      ['/b', undefined],
      ['/c', '"1"'],
    ]);
  });

  it.each([404, 410])(
    'caches a replacement value for status %i but requests the URL again',
    async (code) => {
      const { server, url, cache, fetcher } = await scene(status(code));
      for (const requests of [1, 2]) {
        const loaded = await fetcher.load(url, codec, { missing: { value: null } });
        expect(loaded).toEqual({ value: null, edition: null });
        expect(server.requests).toHaveLength(requests);
      }
      expect(cache.get(url)).toMatchObject({ url, value: null });
      expect(fetcher.recall(url, codec)).toBeNull();
    },
  );

  it.each([
    { code: 404, options: { hint: 'Do this.' }, attempts: 2 },
    {
      code: 403,
      options: { missing: { value: null }, hint: 'Do this.' },
      attempts: 1,
    },
  ])(
    'fails with the hint for status $code and the options $options',
    async ({ code, options, attempts }) => {
      const { url, cache, fetcher } = await scene(status(code));
      await expect(fetcher.load(url, codec, options)).rejects.toMatchObject({
        problem: `got ${code}, expected 200`,
        hint: 'Do this.',
        request: { url, attempts },
      });
      expect(cache.get(url)).toBeUndefined();
    },
  );
});

it('recall returns a cached value regardless of its age', async () => {
  const { fetcher, server, url } = await cachedScene({ freshUntil: 0 });
  expect(fetcher.recall(url, codec)).toBe('old');
  expect(fetcher.recall(`${url}other`, codec)).toBeUndefined();
  expect(fetcher.stats.cacheHits).toBe(1);
  expect(server.requests).toEqual([]);
});

it('request neither reads nor changes the cache', async () => {
  const { fetcher, url } = await cachedScene({});
  const received = await fetcher.request(url);
  expect(String(received)).toBe('"new"');
  expect(fetcher.recall(url, codec)).toBe('old');
});

it('closeOnAbort closes the client after the work or as soon as the signal aborts', async () => {
  const client = { close: vi.fn(async () => {}) };
  const controller = new AbortController();
  const countCloses = async (given: typeof client) => given.close.mock.calls.length;
  expect(await closeOnAbort(client, controller.signal, countCloses)).toBe(0);
  const work = closeOnAbort(client, controller.signal, async () => {
    await vi.waitFor(() => expect(client.close).toHaveBeenCalledTimes(2));
    throw new Error('the connection is closed');
  });
  controller.abort(new RangeError('stop'));
  await expect(work).rejects.toThrow('stop');
  // The client is closed after the first work, on abort, and after the second work.
  expect(client.close).toHaveBeenCalledTimes(3);
});

describe('withFetcher', () => {
  /** Starts a server whose responses stay fresh for one hour. */
  async function runScene(overrides: Partial<FetcherOptions> = {}) {
    const server = await startServer(body('1', { 'cache-control': 'max-age=3600' }));
    const cacheFolder = temporaryFolder();
    const options = { concurrency: 1, retries: 0, cacheFolder, ...overrides };
    const run = (paths: string[], fails = false) =>
      withFetcher(
        options,
        { upstream: `${server.url}/https://x`, version: '1' },
        async (fetcher) => {
          for (const path of paths) {
            await fetcher.load(`${server.url}${path}`, codec);
          }
          if (fails) throw new RangeError('too bad');
          return fetcher.stats;
        },
      );
    return { server, cacheFolder, run };
  }

  it('resumes a failed run but not a complete run', async () => {
    const { server, cacheFolder, run } = await runScene();
    await expect(run(['/1', '/2'], true)).rejects.toThrow('too bad');
    expect(await run(['/1'])).toMatchObject({ requests: 0, cacheHits: 1 });
    expect(await run(['/1', '/2'])).toMatchObject({ requests: 2 });
    expect(readdirSync(cacheFolder)).toEqual([
      `http-127.0.0.1-${server.port}-https-x.ndjson`,
    ]);
  });

  it('requests everything again if there is no cache', async () => {
    const { run } = await runScene({ cacheFolder: undefined });
    for (const _ of [1, 2]) expect(await run(['/1'])).toMatchObject({ requests: 1 });
  });

  it('sends and writes nothing if the signal has already aborted', async () => {
    const aborted = { signal: AbortSignal.abort(new RangeError('stop')) };
    const { cacheFolder, server, run } = await runScene(aborted);
    await expect(run(['/1'])).rejects.toThrow('stop');
    expect([server.requests, readdirSync(cacheFolder)]).toEqual([[], []]);
  });
});
