import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { respondCompressed, selectEncoding } from '../../src/serve/respond.ts';
import { serveSite } from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const LIST = '/api/gamedata/move/';
const style = { path: 'style.css', body: '.a { color: red }\n'.repeat(200) };

async function get(url: string, encoding?: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const sent = { ...(encoding !== undefined && { 'accept-encoding': encoding }), ...headers };
  const { statusCode: status, headers: fields, body } = await request(url, { method, headers: sent });
  return { status, fields, bytes: Buffer.from(await body.arrayBuffer()) };
}

it.each([
  [null, undefined],
  ['', undefined],
  ['gzip;q=0.5, identity', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
])('selects for %j the encoding %j', (header, chosen) => {
  expect(selectEncoding(header)).toBe(chosen);
});

describe('compression', () => {
  it('applies to files, and to the API only on request', async () => {
    const { url } = await serveSite({ moves: 120, extras: [style] });
    const api = await get(url + LIST, 'gzip, br');
    expect(api.fields).toMatchObject({ vary: 'Accept' });
    expect(api.fields['content-encoding']).toBeUndefined();
    const image = await get(`${url}/sprites/items/unknown.png`, 'gzip, br');
    expect(image.fields.vary).toBeUndefined();
    const file = await get(`${url}/style.css`, 'gzip, br');
    expect(file.fields).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(String(brotliDecompressSync(file.bytes))).toBe(style.body);
  });

  it.each([
    ['br', LIST],
    ['gzip', LIST],
    ['br', `${LIST}?limit=110&offset=1`],
  ] as const)('keeps the content: %s %s', async (encoding, target) => {
    const { url } = await serveSite({ moves: 120, compress: true });
    const plain = await get(url + target);
    const packed = await get(url + target, encoding);
    expect(packed.fields).toMatchObject({
      'content-encoding': encoding,
      vary: 'Accept, Accept-Encoding',
      etag: String(plain.fields.etag).replace(/"$/, `-${encoding}"`),
      'content-length': String(packed.bytes.length),
    });
    expect(plain.fields).toMatchObject({ vary: 'Accept, Accept-Encoding' });
    expect(decoders[encoding](packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);

    const head = await get(url + target, encoding, {}, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
      expect([name, head.fields[name]]).toEqual([name, packed.fields[name]]);
    const { etag, vary } = packed.fields;
    const known = await get(url + target, encoding, { 'if-none-match': etag });
    expect(known).toMatchObject({ status: 304, bytes: { length: 0 }, fields: { etag, vary } });
    const other = encoding === 'br' ? 'gzip' : 'br';
    expect((await get(url + target, other, { 'if-none-match': etag })).status).toBe(200);
  });

  it.each(['move-1/', 'nope/'])('leaves small responses and errors as they are: %s', async (path) => {
    const { url } = await serveSite({ compress: true });
    const { fields, bytes } = await get(url + LIST + path, 'br');
    expect(fields['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(bytes))).toBeInstanceOf(Object);
  });

  it.each([
    [[1_200_000], 'br'],
    [[400_000, 600_000], 'br'],
    [[400_000, 600_001], undefined],
  ])('leaves long page ranges as they are: parts of %j bytes', async (lengths, encoding) => {
    const parts = lengths.map((length) => new Uint8Array(length));
    const length = `${parts.reduce((sum, part) => sum + part.length, 0)}`;
    const request = {
      method: 'GET',
      path: LIST,
      search: '',
      headers: new Headers({ 'Accept-Encoding': 'br' }),
    };
    const { headers } = await respondCompressed(request, async () => ({
      ...{ status: 200, headers: { ETag: '"a"', 'Content-Length': length }, body: parts },
    }));
    expect(headers['Content-Encoding']).toBe(encoding);
  });
});
