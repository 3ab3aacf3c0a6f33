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
  const cache = openCache(temporaryFolder(), { upstream: 'https://upstream.test', version: '1' });
  const fetcher = createFetcher({ client: testClient(), cache });
  const deploy = (next: number): void => {
    edition = next;
  };
  return { server, cache, fetcher, deploy };
}

describe('the edition of a response', () => {
  it('is kept with it, and follows what confirms it', async () => {
    const { server, cache, fetcher, deploy } = await scene();
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
    const { server, cache, fetcher, deploy } = await scene();
    deploy(0);
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
    const { server, cache, fetcher } = await scene();
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
