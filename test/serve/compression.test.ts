import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { createCompress, type Encoding, negotiateEncoding } from '../../src/serve/compression.ts';
import { serveSite } from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

async function get(url: string, encoding?: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const sent = { ...(encoding !== undefined && { 'accept-encoding': encoding }), ...headers };
  const { statusCode: status, headers: fields, body } = await request(url, { method, headers: sent });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status, fields, bytes };
}

const LIST = '/api/gamedata/move/';

describe('an encoding', () => {
  const negotiate = (header?: string): string | undefined =>
    negotiateEncoding({
      headers: header === undefined ? {} : { 'accept-encoding': header },
    } as IncomingMessage);

  it.each([
    [undefined, undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
  ])('of %j is %j', (header, chosen) => {
    expect(negotiate(header)).toBe(chosen);
  });
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
    const known = await get(url + LIST, encoding, { 'if-none-match': packed.fields.etag });
    expect([known.status, known.bytes.length, known.fields.etag]).toEqual([304, 0, packed.fields.etag]);
    expect(known.fields.vary).toBe(packed.fields.vary);
    const other = encoding === 'br' ? 'gzip' : 'br';
    expect((await get(url + LIST, other, { 'if-none-match': packed.fields.etag })).status).toBe(200);
  });

  it('sends small records and errors as they are', async () => {
    const { url } = await serveSite({ compress: true });
    for (const path of [`${LIST}move-1/`, `${LIST}nope/`]) {
      const { fields, bytes } = await get(url + path, 'br');
      expect(fields['content-encoding']).toBeUndefined();
      expect(JSON.parse(String(bytes))).toBeInstanceOf(Object);
    }
  });
});

describe('compressed bodies', () => {
  const request = { method: 'GET', path: '/', search: '', headers: new Headers() };
  const bodyOf = (letter: string) => new Uint8Array(Buffer.from(letter.repeat(5000)));
  const packedBy = (maxBytes: number) => {
    const compress = createCompress(maxBytes);
    return async (letter: string, encoding: Encoding) => {
      const response = { status: 200, headers: { ETag: `"${letter}"` }, body: bodyOf(letter) };
      return (await compress(encoding, request, () => response)).body;
    };
  };

  it('are kept as long as there is room, those requested last', async () => {
    const packed = packedBy(100);
    const [a, b] = [await packed('a', 'gzip'), await packed('b', 'gzip')];
    expect(await packed('b', 'gzip')).toBe(b);
    for (const letter of ['c', 'd', 'e']) await packed(letter, 'gzip');
    const later = await packed('a', 'gzip');
    expect(later).not.toBe(a);
    expect(later).toEqual(a);
  });
});
