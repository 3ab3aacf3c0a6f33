import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { type CacheEntry, openCache } from '../../src/http/cache.ts';
import { closeOnAbort } from '../../src/http/client.ts';
import { createFetcher, type FetcherOptions, withFetcher } from '../../src/http/fetcher.ts';
import { editionNumber, namedEdition } from '../support/editions.ts';
import { startServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { body, status, testClient } from '../support/test-client.ts';

const HOUR = 3_600_000;
const codec = {
  decode: decodeJson,
  revive: (cached: unknown) => (cached === 'spoilt' ? undefined : cached),
};

/** A server that confirms the ETag `"1"`, and a fetcher with an empty cache. Responses name an edition, unless it is 0. */
async function scene() {
  let edition = 0;
  const server = await startServer((response, { headers }) => {
    const { hash, deployed } = editionNumber(edition);
    const named = edition > 0 && { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': String(deployed) };
    const isKnown = headers['if-none-match'] === '"1"';
    const cached = { etag: '"1"', 'cache-control': 'max-age=3600' };
    response.writeHead(isKnown ? 304 : 200, { ...cached, ...named }).end(isKnown ? undefined : '"new"');
  });
  const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
  const fetcher = createFetcher({ client: testClient(), cache });
  const deploy = (next: number): void => {
    edition = next;
  };
  const validators = () => server.requests.map(({ headers }) => headers['if-none-match']);
  return { server, cache, fetcher, deploy, validators };
}

/** The same, and what the cache has of an address. */
async function prepare(entry: Partial<CacheEntry>) {
  const prepared = await scene();
  const url = `${prepared.server.url}/move/1/`;
  const stored = { etag: '"1"', storedAt: Date.now() - HOUR, freshUntil: Date.now() + HOUR, value: 'old' };
  prepared.cache.put({ url, ...stored, ...entry });
  return { ...prepared, url };
}

describe('a response in the cache', () => {
  const past = Date.now() - 1000;
  it.each<[string, entry: Partial<CacheEntry>, gives: string, sent: (string | undefined)[]]>([
    ['that is fresh is used', {}, 'old', []],
    ['that is stale is asked for', { freshUntil: past }, 'old', ['"1"']],
    ['from the future is not trusted', { storedAt: Date.now() + HOUR }, 'old', ['"1"']],
    ['that has changed is replaced', { etag: '"0"', freshUntil: past }, 'new', ['"0"']],
    ['without a validator is fetched anew', { etag: undefined, freshUntil: past }, 'new', [undefined]],
    ['that cannot be revived is fetched anew', { value: 'spoilt' }, 'new', [undefined]],
  ])('%s', async (_, entry, gives, sent) => {
    const { fetcher, validators, url } = await prepare(entry);
    expect(await fetcher.load(url, codec)).toEqual({ value: gives, edition: null });
    expect(validators()).toEqual(sent);
    expect(fetcher.stats.cacheHits).toBe(gives === 'old' ? 1 : 0);
  });

  it('that is fresh is asked for if told to', async () => {
    const { fetcher, validators, url } = await prepare({});
    expect(await fetcher.load(url, codec, { revalidate: true })).toEqual({ value: 'old', edition: null });
    expect(validators()).toEqual(['"1"']);
  });

  it('is recalled however old it is', async () => {
    const { fetcher, server, url } = await prepare({ freshUntil: past });
    expect(fetcher.recall(url, codec)).toBe('old');
    expect(fetcher.stats.cacheHits).toBe(1);
    expect(fetcher.recall(`${url}other`, codec)).toBeUndefined();
    expect(fetcher.stats.cacheHits).toBe(1);
    expect(server.requests).toEqual([]);
  });

  it('is fresh again once it was confirmed', async () => {
    const { fetcher, server, url, cache } = await prepare({ freshUntil: past });
    await fetcher.load(url, codec);
    await fetcher.load(url, codec);
    expect(server.requests).toHaveLength(1);
    expect(cache.get(url)?.freshUntil).toBeGreaterThan(Date.now());
  });
});

describe('a response that says that there is nothing', () => {
  const missing = { value: null };

  it.each([404, 410])('is a value where that is allowed, and asked for again: %i', async (code) => {
    const server = await startServer(status(code));
    const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
    const fetcher = createFetcher({ client: testClient(), cache });
    expect(await fetcher.load(server.url, codec, { missing })).toEqual({ value: null, edition: null });
    expect(cache.get(server.url)).toMatchObject({ url: server.url, value: null });
    expect(fetcher.recall(server.url, codec)).toBeNull();
    expect(await fetcher.load(server.url, codec, { missing })).toEqual({ value: null, edition: null });
    expect(server.requests).toHaveLength(2);
  });

  it.each([403, 404, 410])(
    'is asked for once more where it is not allowed, past the caches on the way and whatever the retries: %i',
    async (code) => {
      const server = await startServer((response, { url = '' }) =>
        url.includes('edition=') ? response.end('1') : status(code)(response),
      );
      const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
      cache.put({ url: `${server.url}/a?b=c`, etag: '"1"', storedAt: 0, freshUntil: 0, value: 7 });
      const fetcher = createFetcher({ client: testClient({ retries: 0 }), cache });
      const options = { revalidate: true, hint: 'x' };
      expect(await fetcher.load(`${server.url}/a?b=c`, codec, options)).toEqual({ value: 1, edition: null });
      expect(server.requests.map(({ path, headers }) => [path, headers['if-none-match']])).toEqual([
        ['/a?b=c', '"1"'],
        [expect.stringMatching(/^\/a\?b=c&edition=\d+$/), undefined],
      ]);
      expect(cache.get(`${server.url}/a?b=c`)?.value).toBe(1);
    },
  );

  it('is an error with a hint if that is no better', async () => {
    const server = await startServer(status(404));
    const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
    const fetcher = createFetcher({ client: testClient(), cache });
    await expect(fetcher.load(server.url, codec, { hint: 'Do this.' })).rejects.toMatchObject({
      ...{ message: `GET ${server.url}: got 404, expected 200 (2 attempts)`, hint: 'Do this.' },
      request: { status: 404 },
    });
  });

  it.each([
    { code: 404, options: {} },
    { code: 403, options: { missing } },
  ])('is an error otherwise: $code, $options', async ({ code, options }) => {
    const server = await startServer(status(code));
    const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
    const fetcher = createFetcher({ client: testClient(), cache });
    await expect(fetcher.load(server.url, codec, options)).rejects.toThrow(`got ${code}, expected 200`);
    expect(cache.get(server.url)).toBeUndefined();
  });
});

describe('closeOnAbort work', () => {
  /** A client that counts how often it was closed. */
  const countingClient = () => {
    const client = { closed: 0, close: async () => void client.closed++ };
    return client;
  };

  it('gets the client, which is closed once afterwards, and leaves no listener behind', async () => {
    const [client, controller] = [countingClient(), new AbortController()];
    const result = await closeOnAbort(client, controller.signal, async (given) => [
      given === client,
      given.closed,
    ]);
    controller.abort();
    expect([result, client.closed]).toEqual([[true, 0], 1]);
  });

  it('ends when it is aborted: the client is closed at once, and the reason replaces the error', async () => {
    const [client, controller] = [countingClient(), new AbortController()];
    const work = closeOnAbort(client, controller.signal, async () => {
      while (client.closed === 0) await sleep(1);
      throw new Error('the connection is closed');
    });
    controller.abort(new RangeError('stop'));
    await expect(work).rejects.toThrow('stop');
  });
});

describe('work with a fetcher', () => {
  /** A server whose responses are fresh for an hour, and runs of a fetcher for it. */
  async function scene(overrides: Partial<FetcherOptions> = {}) {
    const server = await startServer(body('1', { 'cache-control': 'max-age=3600' }));
    const cacheFolder = temporaryFolder();
    const options = { concurrency: 1, retries: 0, cacheFolder, ...overrides };
    const run = (paths: string[], { version = '1', fails = false } = {}) =>
      withFetcher(options, { upstream: `${server.url}/https://x`, version }, async (fetcher) => {
        for (const path of paths) await fetcher.load(`${server.url}${path}`, codec);
        if (fails) throw new RangeError('too bad');
        return fetcher.stats;
      });
    return { server, cacheFolder, run };
  }

  it('keeps what was fetched if it fails, and only what was used if it does not, in a file named after its upstream', async () => {
    const { server, cacheFolder, run } = await scene();
    await expect(run(['/1', '/2'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1'])).toMatchObject({ requests: 0, cacheHits: 1 });
    await expect(run(['/3'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1', '/2', '/3'])).toMatchObject({ requests: 2, cacheHits: 1 });
    expect(await run(['/1', '/2', '/3']), 'a complete run is not resumed').toMatchObject({ requests: 3 });
    expect(readdirSync(cacheFolder)).toEqual([`http-127.0.0.1-${server.port}-https-x.ndjson`]);
  });

  it('does not use values of another version', async () => {
    const { run } = await scene();
    await expect(run(['/1'], { fails: true })).rejects.toThrow('too bad');
    expect(await run(['/1'], { version: '2' })).toMatchObject({ requests: 1 });
  });

  it('needs no folder', async () => {
    const { run } = await scene({ cacheFolder: undefined });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
    expect(await run(['/1'])).toMatchObject({ requests: 1 });
  });

  it('is not started, and makes nothing, if it is aborted already', async () => {
    const { cacheFolder, server, run } = await scene({ signal: AbortSignal.abort(new RangeError('stop')) });
    await expect(run(['/1'])).rejects.toThrow('stop');
    expect(server.requests).toEqual([]);
    expect(readdirSync(cacheFolder)).toEqual([]);
  });
});

describe('the edition of a response', () => {
  it('is kept with it, and follows what confirms it', async () => {
    const { server, cache, fetcher, deploy, validators } = await scene();
    // A response without a body may name none.
    for (const [named, edition] of [
      [1, namedEdition(1)],
      [2, namedEdition(2)],
      [0, namedEdition(2)],
    ] as const) {
      deploy(named);
      expect(await fetcher.load(server.url, codec, { revalidate: true })).toEqual({ value: 'new', edition });
      expect(cache.get(server.url)?.edition).toEqual(edition);
    }
    expect(validators()).toEqual([undefined, '"1"', '"1"']);
  });

  it('is none if no response has named one', async () => {
    const { server, cache, fetcher } = await scene();
    for (const revalidate of [false, true]) {
      const none = { value: 'new', edition: null };
      expect(await fetcher.load(server.url, codec, { revalidate })).toEqual(none);
    }
    expect(cache.get(server.url)).not.toHaveProperty('edition');
  });
});

describe('a response from another URL', () => {
  it('is asked for unconditionally, unless told otherwise, and kept under the usual one', async () => {
    const { server, cache, fetcher } = await scene();
    await fetcher.load(`${server.url}/a`, codec);
    await fetcher.load(`${server.url}/a`, codec, { urlOverride: `${server.url}/b` });
    await fetcher.load(`${server.url}/a`, codec, { urlOverride: `${server.url}/c`, revalidate: true });
    expect(server.requests.map(({ path: asked, headers }) => [asked, headers['if-none-match']])).toEqual([
      ['/a', undefined],
      ['/b', undefined],
      ['/c', '"1"'],
    ]);
    expect(cache.get(`${server.url}/b`)).toBeUndefined();
    expect(String(await fetcher.request(`${server.url}/d`)), 'past the cache').toBe('"new"');
    expect(cache.get(`${server.url}/d`)).toBeUndefined();
  });
});
