import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { negotiateEncoding } from '../../src/serve/compression.ts';
import { serveSite } from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const LIST = '/api/gamedata/move/';

async function get(url: string, encoding?: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const sent = { ...(encoding !== undefined && { 'accept-encoding': encoding }), ...headers };
  const { statusCode: status, headers: fields, body } = await request(url, { method, headers: sent });
  return { status, fields, bytes: Buffer.from(await body.arrayBuffer()) };
}

it.each([
  [undefined, undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
])('the encoding for %j is %j', (header, chosen) => {
  const headers = header === undefined ? {} : { 'accept-encoding': header };
  expect(negotiateEncoding({ headers } as IncomingMessage)).toBe(chosen);
});

describe('the API', () => {
  it('is compressed only if that is asked of the server', async () => {
    const { url } = await serveSite({ moves: 120 });
    const { fields } = await get(url + LIST, 'gzip, br');
    expect(fields).toMatchObject({ vary: 'Accept' });
    expect(fields['content-encoding']).toBeUndefined();
  });

  it.each(['br', 'gzip'] as const)('is the same compressed: %s', async (encoding) => {
    const { url } = await serveSite({ moves: 120, compress: true });
    const plain = await get(url + LIST);
    const packed = await get(url + LIST, encoding);
    expect(packed.fields).toMatchObject({
      'content-encoding': encoding,
      vary: 'Accept, Accept-Encoding',
      // A strong one, of these bytes.
      etag: String(plain.fields.etag).replace(/"$/, `-${encoding}"`),
      'content-length': String(packed.bytes.length),
    });
    expect(plain.fields).toMatchObject({ vary: 'Accept, Accept-Encoding' });
    expect(decoders[encoding](packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);

    const head = await get(url + LIST, encoding, {}, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect([name, head.fields[name]]).toEqual([name, packed.fields[name]]);
    const { etag, vary } = packed.fields;
    const known = await get(url + LIST, encoding, { 'if-none-match': etag });
    expect(known).toMatchObject({ status: 304, bytes: { length: 0 }, fields: { etag, vary } });
    const other = encoding === 'br' ? 'gzip' : 'br';
    expect((await get(url + LIST, other, { 'if-none-match': etag })).status).toBe(200);
  });

  it.each(['move-1/', 'nope/'])('sends small records and errors as they are: %s', async (path) => {
    const { url } = await serveSite({ compress: true });
    const { fields, bytes } = await get(url + LIST + path, 'br');
    expect(fields['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(bytes))).toBeInstanceOf(Object);
  });
});
