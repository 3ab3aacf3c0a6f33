import { describe, expect, it } from 'vitest';
import { createFetchStore } from '../../../src/serve/handler/store.ts';

const storeOf = (answer: () => Response) => createFetchStore(async () => answer());

describe('a store over what a host fetches', () => {
  it('takes the host’s ETag', async () => {
    const asset = await storeOf(() => new Response('{}', { headers: { ETag: 'W/"1"' } })).get('meta.json');
    expect(asset).toEqual({ body: new Uint8Array([0x7b, 0x7d]), etag: 'W/"1"' });
  });

  it('makes one of the content if the host has none', async () => {
    const store = storeOf(() => new Response('{}'));
    const [first, second, other] = await Promise.all([
      store.get('a'),
      store.get('b'),
      storeOf(() => new Response('[]')).get('a'),
    ]);
    expect(first?.etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(second?.etag).toBe(first?.etag);
    expect(other?.etag).not.toBe(first?.etag);
  });

  it.each([301, 302, 304, 404, 500])('has nothing if the host says %i', async (status) => {
    const body = status === 304 ? null : 'x';
    expect(await storeOf(() => new Response(body, { status })).get('a')).toBeUndefined();
  });
});
