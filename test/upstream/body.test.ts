import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { GamedataError } from '../../src/errors.ts';
import { decodeJson, decompress } from '../../src/upstream/body.ts';

const TEXT = '{"name":"Poké Ball"}';
const PLAIN = Buffer.from(TEXT);

/** Each `Content-Encoding` header with a body that it describes. */
const encodings: readonly (readonly [string, Buffer])[] = [
  ['', PLAIN],
  ['aws-chunked', PLAIN],
  ['GZIP', gzipSync(TEXT)],
  // Many servers name the encoding twice.
  ['gzip, gzip', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
];

describe('decompress', () => {
  it.each(encodings)('decodes a body with Content-Encoding %j', (encoding, body) => {
    expect(String(decompress(body, encoding, 100))).toBe(TEXT);
  });

  it.each(['zstd', 'constructor'])('rejects the unknown encoding %j', (encoding) => {
    expect(() => decompress(gzipSync(TEXT), encoding, 100)).toThrow(
      /^got Content-Encoding "\w+", expected gzip, br$/,
    );
  });

  const cutGzip = gzipSync(TEXT).subarray(0, -4);
  const cutBrotli = brotliCompressSync(TEXT.repeat(99)).subarray(0, 12);

  it.each([
    { encoding: 'gzip', body: PLAIN, what: 'plain text' },
    { encoding: 'br', body: PLAIN, what: 'plain text' },
    { encoding: 'gzip', body: cutGzip, what: 'the first part' },
    { encoding: 'br', body: cutBrotli, what: 'the first part' },
  ])('rejects $what that is declared as $encoding', ({ encoding, body }) => {
    expect(() => decompress(body, encoding, 1000)).toThrow(
      new GamedataError(
        'data',
        `got ${body.length} bytes that are not valid ${encoding}`,
      ),
    );
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(1001))],
    ['br', brotliCompressSync(Buffer.alloc(1001))],
  ])('stops decompressing %s at the limit', (encoding, bomb) => {
    expect(() => decompress(bomb, encoding, 1000)).toThrow(
      new GamedataError('data', 'got more than 1000 bytes'),
    );
  });
});

describe('decodeJson', () => {
  it.each(['["Poké\uFEFF"]', '\uFEFF["Poké\uFEFF"]', ' ["Poké\uFEFF"]\n'])(
    'decodes the JSON text %j',
    (text) => {
      expect(decodeJson(Buffer.from(text))).toEqual(['Poké\uFEFF']);
    },
  );

  it.each(['{"name":"', ''])('rejects the invalid JSON %j', (text) => {
    expect(() => decodeJson(Buffer.from(text))).toThrow('got invalid JSON: ');
  });

  it('rejects encodings other than UTF-8', () => {
    const latin1 = Buffer.from('{"é":1}', 'latin1');
    expect(() => decodeJson(latin1)).toThrow(
      new GamedataError('data', 'got 7 bytes that are not UTF-8'),
    );
  });
});
