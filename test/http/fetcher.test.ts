import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
  type LocalServer,
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

/** Returns the ETag that each request sends for revalidation. */
function listValidators(server: LocalServer): (string | undefined)[] {
  return server.requests.map(({ headers }) => headers['if-none-match']);
}

/**
 * Starts a server and a fetcher with an empty cache. By default, the server confirms
 * the ETag `"1"`, and sends an edition after `deploy` was called.
 */
async function createScene(respond?: Responder) {
  let edition = 0;
  function respondByDefault(
    response: ServerResponse,
    request: IncomingMessage,
  ): void {
    response.setHeader('etag', '"1"');
    response.setHeader('cache-control', 'max-age=86400');
    if (edition > 0) {
      const { hash, deployed } = editionNumber(edition);
      response.setHeader('x-pokeapi-hash', hash);
      response.setHeader('x-pokeapi-deploy-date', String(deployed));
    }
    if (request.headers['if-none-match'] === '"1"') {
      response.writeHead(304);
      response.end();
      return;
    }
    response.writeHead(200);
    response.end('"new"');
  }
  const server = await startServer(respond ?? respondByDefault);
  const key = { upstream: 'https://upstream.test', version: '1' };
  const cache = openCache(temporaryFolder(), key);
  const fetcher = createFetcher(testClient(), cache);
  /** Pass 0 for an upstream without editions. */
  function deploy(nextEdition: number): void {
    edition = nextEdition;
  }
  return { server, url: `${server.url}/a?b=c`, cache, fetcher, deploy };
}

/** Creates a scene whose cache contains a fresh value, unless `fields` change it. */
async function createCachedScene(fields: Partial<CacheEntry>) {
  const scene = await createScene();
  scene.cache.put({
    url: scene.url,
    etag: '"1"',
    storedAt: Date.now() - HOUR,
    freshUntil: Date.now() + HOUR,
    value: 'old',
    ...fields,
  });
  return scene;
}

interface Loading {
  readonly behavior: string;
  /** The fields in which the cached entry differs from a fresh one. */
  readonly cached: Partial<CacheEntry>;
  readonly value: 'old' | 'new';
  /** The ETag that each request sends. */
  readonly validators: readonly (string | undefined)[];
}

describe('load', () => {
  const past = Date.now() - 1000;
  const future = Date.now() + HOUR;
  const loadings: readonly Loading[] = [
    { behavior: 'uses a fresh value', cached: {}, value: 'old', validators: [] },
    {
      behavior: 'revalidates a stale value',
      cached: { freshUntil: past },
      value: 'old',
      validators: ['"1"'],
    },
    {
      behavior: 'revalidates a value from the future',
      cached: { storedAt: future },
      value: 'old',
      validators: ['"1"'],
    },
    {
      behavior: 'replaces a changed value',
      cached: { etag: '"0"', freshUntil: past },
      value: 'new',
      validators: ['"0"'],
    },
    {
      behavior: 'replaces a stale value without a validator',
      cached: { etag: undefined, freshUntil: past },
      value: 'new',
      validators: [undefined],
    },
    {
      behavior: 'replaces an invalid value',
      cached: { value: 'invalid' },
      value: 'new',
      validators: [undefined],
    },
  ];

  it.each(loadings)('$behavior', async ({ cached, value, validators }) => {
    const { fetcher, server, url } = await createCachedScene(cached);
    const loaded = await fetcher.load(url, codec);
    expect(loaded).toEqual({ value, edition: null });
    expect(listValidators(server)).toEqual(validators);
    expect(fetcher.stats.cacheHits).toBe(value === 'old' ? 1 : 0);
  });

  it.each(loadings)(
    'sends no other request for the same URL after it $behavior',
    async ({ cached }) => {
      const { fetcher, server, url } = await createCachedScene(cached);
      await fetcher.load(url, codec);
      const requests = server.requests.length;
      await fetcher.load(url, codec);
      expect(server.requests).toHaveLength(requests);
    },
  );

  it('revalidates a fresh value on demand', async () => {
    const { fetcher, server, url } = await createCachedScene({});
    await fetcher.load(url, codec, { revalidate: true });
    expect(listValidators(server)).toEqual(['"1"']);
  });

  it("stores the response's edition or, after a 304 without one, the cached edition", async () => {
    const { server, url, cache, fetcher, deploy } = await createScene();
    const responses = [
      { deployed: 0, edition: null, freshHours: 1 },
      { deployed: 1, edition: namedEdition(1), freshHours: 20 },
      { deployed: 2, edition: namedEdition(2), freshHours: 20 },
      // This 304 has no edition.
      { deployed: 0, edition: namedEdition(2), freshHours: 20 },
    ];
    for (const { deployed, edition, freshHours } of responses) {
      deploy(deployed);
      const loaded = await fetcher.load(url, codec, { revalidate: true });
      expect(loaded).toEqual({ value: 'new', edition });
      const { storedAt = 0, ...entry } = cache.get(url) ?? {};
      expect(entry).toEqual({
        url,
        etag: '"1"',
        freshUntil: storedAt + freshHours * HOUR,
        edition: edition ?? undefined,
        value: 'new',
      });
    }
    expect(listValidators(server)).toEqual([undefined, '"1"', '"1"', '"1"']);
  });

  it('caches the response to a cache-busting URL under the original URL', async () => {
    const { server, cache, fetcher } = await createScene();
    const url = `${server.url}/a`;
    await fetcher.load(url, codec, { urlOverride: `${server.url}/b` });
    expect(cache.get(url)?.value).toBe('new');
    expect(cache.get(`${server.url}/b`)).toBeUndefined();
  });

  it('sends no validators to a cache-busting URL by default', async () => {
    const { server, fetcher } = await createScene();
    const url = `${server.url}/a`;
    await fetcher.load(url, codec);
    await fetcher.load(url, codec, { urlOverride: `${server.url}/b` });
    expect(server.requests[1]?.path).toBe('/b');
    expect(listValidators(server)).toEqual([undefined, undefined]);
  });

  it('sends validators to a cache-busting URL if it must revalidate', async () => {
    const { server, fetcher } = await createScene();
    const url = `${server.url}/a`;
    await fetcher.load(url, codec);
    const options = { urlOverride: `${server.url}/b`, revalidate: true };
    await fetcher.load(url, codec, options);
    expect(server.requests[1]?.path).toBe('/b');
    expect(listValidators(server)).toEqual([undefined, '"1"']);
  });

  it.each([404, 410])(
    'caches a replacement value for status %i but requests the URL again',
    async (code) => {
      const { server, url, cache, fetcher } = await createScene(status(code));
      const options = { missing: { value: null } };
      for (const requests of [1, 2]) {
        const loaded = await fetcher.load(url, codec, options);
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
      const { url, cache, fetcher } = await createScene(status(code));
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
  const { fetcher, server, url } = await createCachedScene({ freshUntil: 0 });
  expect(fetcher.recall(url, codec)).toBe('old');
  expect(fetcher.recall(`${url}other`, codec)).toBeUndefined();
  expect(fetcher.stats.cacheHits).toBe(1);
  expect(server.requests).toEqual([]);
});

it('request neither reads nor changes the cache', async () => {
  const { fetcher, url } = await createCachedScene({});
  const received = await fetcher.request(url);
  expect(String(received)).toBe('"new"');
  expect(fetcher.recall(url, codec)).toBe('old');
});

describe('closeOnAbort', () => {
  it('closes the client after the work', async () => {
    const client = { close: vi.fn(async () => {}) };
    const { signal } = new AbortController();
    await closeOnAbort(client, signal, async () => {
      expect(client.close).not.toHaveBeenCalled();
    });
    expect(client.close).toHaveBeenCalledTimes(1);
  });

  it('closes the client as soon as the signal aborts', async () => {
    const client = { close: vi.fn(async () => {}) };
    const controller = new AbortController();
    const work = closeOnAbort(client, controller.signal, async () => {
      await vi.waitFor(() => expect(client.close).toHaveBeenCalledTimes(1));
      throw new Error('the connection is closed');
    });
    controller.abort(new RangeError('stop'));
    // The reason for the abort replaces the error that the abort causes.
    await expect(work).rejects.toThrow('stop');
    // The client is closed once more after the work.
    expect(client.close).toHaveBeenCalledTimes(2);
  });
});

describe('withFetcher', () => {
  /**
   * Starts a server whose responses stay fresh for one hour. `run` loads the given
   * paths with a new fetcher, and then fails on demand.
   */
  async function createRuns(overrides: Partial<FetcherOptions> = {}) {
    const server = await startServer(body('1', { 'cache-control': 'max-age=3600' }));
    const cacheFolder = temporaryFolder();
    const options = { concurrency: 1, retries: 0, cacheFolder, ...overrides };
    const key = { upstream: `${server.url}/https://x`, version: '1' };
    function run(paths: readonly string[], fails = false) {
      return withFetcher(options, key, async (fetcher) => {
        for (const path of paths) {
          await fetcher.load(`${server.url}${path}`, codec);
        }
        if (fails) throw new RangeError('too bad');
        return fetcher.stats;
      });
    }
    return { server, cacheFolder, run };
  }

  it('resumes a failed run but not a complete run', async () => {
    const { server, cacheFolder, run } = await createRuns();
    await expect(run(['/1', '/2'], true)).rejects.toThrow('too bad');
    const resumed = await run(['/1']);
    expect(resumed).toMatchObject({ requests: 0, cacheHits: 1 });
    const afterCompleteRun = await run(['/1', '/2']);
    expect(afterCompleteRun).toMatchObject({ requests: 2 });
    expect(readdirSync(cacheFolder)).toEqual([
      `http-127.0.0.1-${server.port}-https-x.ndjson`,
    ]);
  });

  it('requests everything again if there is no cache', async () => {
    const { run } = await createRuns({ cacheFolder: undefined });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
  });

  it('sends and writes nothing if the signal has already aborted', async () => {
    const aborted = { signal: AbortSignal.abort(new RangeError('stop')) };
    const { cacheFolder, server, run } = await createRuns(aborted);
    await expect(run(['/1'])).rejects.toThrow('stop');
    expect(server.requests).toEqual([]);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });
});
