import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeJson, decompress, InvalidBodyError } from '../../src/http/body.ts';

const TEXT = '{"name":"Poké Ball"}';
const PLAIN = Buffer.from(TEXT);

/** Each `Content-Encoding` header with a body that it describes. */
const encodings: readonly (readonly [string | undefined, Buffer])[] = [
  [undefined, PLAIN],
  ['', PLAIN],
  [' ,', PLAIN],
  [' Identity', PLAIN],
  ['aws-chunked', PLAIN],
  ['GZIP', gzipSync(TEXT)],
  [' gzip ', gzipSync(TEXT)],
  ['X-Gzip', gzipSync(TEXT)],
  // Many servers name the encoding twice.
  ['gzip, gzip', gzipSync(TEXT)],
  ['aws-chunked,gzip', gzipSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
];

describe('decompress', () => {
  it.each(encodings)('decodes a body with Content-Encoding %j', (encoding, body) => {
    expect(String(decompress(body, encoding))).toBe(TEXT);
  });

  it.each(['zstd', 'constructor', '__proto__'])(
    'rejects the unknown encoding %j',
    async (encoding) => {
      const error = new InvalidBodyError(
        `got Content-Encoding "${encoding}", expected gzip, br`,
      );
      const body = gzipSync(TEXT);
      expect(() => decompress(body, encoding)).toThrow(error);
      expect(() => decompress(body, `${encoding}, gzip`)).toThrow(error);
    },
  );

  const cutGzip = gzipSync(TEXT).subarray(0, -4);
  const cutBrotli = brotliCompressSync(TEXT.repeat(99)).subarray(0, 12);

  it.each([
    { encoding: 'gzip', body: PLAIN, what: 'plain text' },
    { encoding: 'br', body: PLAIN, what: 'plain text' },
    { encoding: 'gzip', body: cutGzip, what: 'the first part' },
    { encoding: 'br', body: cutBrotli, what: 'the first part' },
  ])('rejects $what that is declared as $encoding', async ({ encoding, body }) => {
    const message = `got ${body.length} bytes that are not valid ${encoding}`;
    const error = new InvalidBodyError(message, expect.any(Error));
    expect(() => decompress(body, encoding)).toThrow(error);
  });

  it('stops decompressing a gzip body at 8 MiB', () => {
    const bomb = gzipSync(Buffer.alloc(8_388_609));
    const error = {
      message: 'got more than 8388608 bytes',
      cause: expect.any(RangeError),
    };
    expect(() => decompress(bomb, 'gzip')).toThrow(expect.objectContaining(error));
  });

  it('stops decompressing a Brotli body at the given limit', () => {
    const bomb = brotliCompressSync(Buffer.alloc(100_001));
    const error = {
      message: 'got more than 100000 bytes',
      cause: expect.any(RangeError),
    };
    expect(() => decompress(bomb, 'br', 100_000)).toThrow(
      expect.objectContaining(error),
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

  it.each([
    ['{"name":"', String.raw`"{\"name\":\"" in line 1, column 10`],
    ['', 'nothing'],
  ])('rejects the invalid JSON %j', (text, shownText) => {
    const message = `got ${shownText}, expected JSON`;
    const error = new InvalidBodyError(message, expect.any(SyntaxError));
    expect(() => decodeJson(Buffer.from(text))).toThrow(error);
  });

  it('rejects encodings other than UTF-8', () => {
    const error = new InvalidBodyError('got 7 bytes that are not UTF-8');
    const latin1 = Buffer.from('{"é":1}', 'latin1');
    expect(() => decodeJson(latin1)).toThrow(error);
  });
});
