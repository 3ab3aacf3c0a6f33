import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { openCache } from '../../src/http/cache.ts';
import { createFetcher } from '../../src/http/fetcher.ts';
import { editionNumber, namedEdition } from '../support/editions.ts';
import { startServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { testClient } from '../support/test-client.ts';

const codec = { decode: decodeJson, revive: (cached: unknown) => cached };

/** A server that confirms the ETag `"1"`; its answers name an edition, unless it is 0. */
async function scene() {
  let edition = 1;
  const server = await startServer((response, { headers }) => {
    const { hash, deployed } = editionNumber(edition);
    const named = edition > 0 && { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': String(deployed) };
    const isKnown = headers['if-none-match'] === '"1"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"1"', ...named }).end(isKnown ? undefined : '"value"');
  });
  const folder = temporaryFolder();
  const open = () => {
    const cache = openCache(folder, { upstream: 'https://upstream.test', version: '1' });
    return { cache, fetcher: createFetcher({ client: testClient(), cache }) };
  };
  return {
    server,
    folder,
    open,
    deploy: (next: number) => {
      edition = next;
    },
  };
}

describe('the edition of a response', () => {
  it('is kept with it, and follows what confirms it', async () => {
    const { server, open, deploy } = await scene();
    const { cache, fetcher } = open();
    const load = () => fetcher.load(server.url, codec, { revalidate: true });
    expect(await load()).toEqual({ value: 'value', edition: namedEdition(1) });
    expect(cache.get(server.url)?.edition).toEqual(namedEdition(1));
    deploy(2);
    expect(await load()).toEqual({ value: 'value', edition: namedEdition(2) });
    expect(cache.get(server.url)?.edition).toEqual(namedEdition(2));
    deploy(0);
    expect(await load(), 'a response without a body may name none').toEqual({
      value: 'value',
      edition: namedEdition(2),
    });
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
  });

  it('is none if no response has named one', async () => {
    const { server, open, deploy } = await scene();
    deploy(0);
    const { cache, fetcher } = open();
    for (const revalidate of [false, true])
      expect(await fetcher.load(server.url, codec, { revalidate })).toEqual({
        value: 'value',
        edition: null,
      });
    expect(cache.get(server.url)).not.toHaveProperty('edition');
  });
});

describe('a response from another URL', () => {
  it('is asked for unconditionally, unless told otherwise, and kept under the usual one', async () => {
    const { server, open } = await scene();
    const { cache, fetcher } = open();
    await fetcher.load(`${server.url}/a`, codec);
    await fetcher.load(`${server.url}/a`, codec, { at: `${server.url}/b` });
    await fetcher.load(`${server.url}/a`, codec, { at: `${server.url}/c`, revalidate: true });
    expect(server.requests.map(({ path: asked, headers }) => [asked, headers['if-none-match']])).toEqual([
      ['/a', undefined],
      ['/b', undefined],
      ['/c', '"1"'],
    ]);
    expect(cache.get(`${server.url}/b`)).toBeUndefined();
    expect(String(await fetcher.ask(`${server.url}/d`)), 'past the cache').toBe('"value"');
    expect(cache.get(`${server.url}/d`)).toBeUndefined();
  });
});

describe('the last run', () => {
  const journal = (folder: string) => readFileSync(path.join(folder, `${readdirSync(folder)[0]}`), 'utf8');
  const complete = async ({ open, server }: Pick<Awaited<ReturnType<typeof scene>>, 'open' | 'server'>) => {
    const { fetcher, cache } = open();
    for (const name of ['a', 'b']) await fetcher.load(`${server.url}/${name}`, codec);
    fetcher.noteRun({ edition: namedEdition(1), value: { made: ['a', 'b'] } });
    cache.close({ complete: true });
  };

  it('is recalled as it was noted, if it was complete and nothing came after it', async () => {
    const { server, folder, open } = await scene();
    expect(open().fetcher.lastEdition).toBeNull();
    await complete({ open, server });
    const before = journal(folder);

    const second = open();
    expect(second.fetcher.lastEdition).toEqual(namedEdition(1));
    expect(second.fetcher.recallRun()).toEqual({ made: ['a', 'b'] });
    expect(second.fetcher.stats).toMatchObject({ requests: 0, cacheHits: 2 });
    second.cache.close({ complete: true });
    expect(journal(folder), 'the journal is not even read').toBe(before);

    const third = open();
    await third.fetcher.load(`${server.url}/c`, codec);
    third.cache.close({ complete: false });
    expect(open().fetcher.lastEdition).toBeNull();
    expect(open().fetcher.recallRun()).toBeUndefined();
  });

  it('is not recalled if its line is damaged, and every response is then asked for', async () => {
    const { server, folder, open } = await scene();
    await complete({ open, server });
    const file = path.join(folder, `${readdirSync(folder)[0]}`);
    writeFileSync(file, journal(folder).replace('"made"', '"mode"'));
    const { fetcher, cache } = open();
    expect(fetcher.lastEdition).toBeNull();
    await fetcher.load(`${server.url}/a`, codec, { revalidate: true });
    expect(server.requests).toHaveLength(3);
    cache.close({ complete: true });
    expect(journal(folder)).not.toContain('mode');
  });

  it('gives way to the next complete one, of another edition or of none', async () => {
    const { server, folder, open, deploy } = await scene();
    await complete({ open, server });
    deploy(0);
    const { fetcher, cache } = open();
    await fetcher.load(`${server.url}/a`, codec);
    cache.close({ complete: true });
    expect(open().fetcher.lastEdition).toBeNull();
    expect(journal(folder)).not.toContain('made');
  });

  it('may be of no edition: what it has stored is not fresh any more', async () => {
    const { server, open } = await scene();
    const first = open();
    first.cache.put({ url: server.url, storedAt: 1, freshUntil: Date.now() + 60_000, value: 1 });
    first.cache.close({ complete: true });
    const second = open();
    expect(second.cache.lastRun).toBeNull();
    expect(second.cache.get(server.url)?.freshUntil).toBe(0);
  });
});
