import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { createCompress, encodings, negotiateEncoding } from '../../src/serve/compression.ts';
import { serveSite } from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, '': (body: Buffer) => body };

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
    ['', undefined],
    ['identity', undefined],
    ['compress', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', encodings.includes('zstd') ? 'zstd' : 'gzip'],
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
      etag: `W/${plain.fields.etag}`,
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
  });

  it('sends small records and errors as they are', async () => {
    const { url } = await serveSite({ compress: true });
    for (const path of [`${LIST}move-1/`, `${LIST}nope/`]) {
      const { fields, bytes } = await get(url + path, 'br');
      expect(fields['content-encoding']).toBeUndefined();
      expect(JSON.parse(String(bytes))).toBeInstanceOf(Object);
    }
  });

  it('streams what is too large to be in memory, compressed and whole', async () => {
    const { url } = await serveSite({ moves: 7000, compress: true });
    for (const encoding of ['br', 'gzip'] as const) {
      const { bytes, fields } = await get(`${url}${LIST}?limit=7000`, encoding);
      expect(fields['content-length']).toBeUndefined();
      const { results } = JSON.parse(String(decoders[encoding](bytes)));
      expect(results).toHaveLength(7000);
    }
  });
});

describe('compressed bodies', () => {
  const bodyOf = (letter: string) => new Uint8Array(Buffer.from(letter.repeat(5000)));
  const response = (etag: string, body = bodyOf(etag)) => ({
    status: 200,
    headers: { ETag: `"${etag}"` },
    body,
  });

  it('are made once', async () => {
    const compress = createCompress(1e6);
    const [first, again, other] = await Promise.all([
      compress(response('a'), 'gzip'),
      compress(response('a'), 'gzip'),
      compress(response('a'), 'br'),
    ]);
    expect(again.body).toBe(first.body);
    expect(other.body).not.toBe(first.body);
  });

  it('are kept as long as there is room, those requested last', async () => {
    const compress = createCompress(100);
    const [a, b] = [await compress(response('a'), 'gzip'), await compress(response('b'), 'gzip')];
    expect((await compress(response('b'), 'gzip')).body).toBe(b.body);
    for (const letter of ['c', 'd', 'e']) await compress(response(letter), 'gzip');
    const later = await compress(response('a'), 'gzip');
    expect(later.body).not.toBe(a.body);
    expect(later.body).toEqual(a.body);
  });

  it('are none if there is nothing to compress, but what varies is said', async () => {
    const compress = createCompress(1e6);
    const unchanged = { status: 304, headers: { ETag: '"a"', Vary: 'Accept' }, body: null };
    expect(await compress(unchanged, 'br')).toEqual({
      status: 304,
      headers: { ETag: 'W/"a"', Vary: 'Accept, Accept-Encoding' },
      body: null,
    });
    expect((await compress(response('a'), undefined)).headers).toEqual({
      ETag: '"a"',
      Vary: 'Accept-Encoding',
    });
  });
});
