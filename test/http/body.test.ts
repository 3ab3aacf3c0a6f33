import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeJson, decompress, InvalidBodyError } from '../../src/http/body.ts';

const TEXT = '{"name":"Poké Ball"}';
const PLAIN = Buffer.from(TEXT);

describe('decompress', () => {
  it.each<[encoding: string | undefined, body: Uint8Array]>([
    [undefined, PLAIN],
    ...['', ' ,', ' Identity', 'aws-chunked'].map((name): [string, Buffer] => [
      name,
      PLAIN,
    ]),
    ...['GZIP', ' gzip ', 'X-Gzip'].map((name): [string, Buffer] => [
      name,
      gzipSync(TEXT),
    ]),
    ...['gzip, gzip', 'aws-chunked,gzip'].map((name): [string, Buffer] => [
      name,
      gzipSync(TEXT),
    ]),
    ['br', brotliCompressSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ])('decodes a body with Content-Encoding %j', (encoding, body) => {
    expect(String(decompress(Buffer.from(body), encoding))).toBe(TEXT);
  });

  it.each(['zstd', 'constructor', '__proto__'])(
    'rejects the unknown encoding %j',
    async (encoding) => {
      for (const header of [encoding, `${encoding}, gzip`]) {
        expect(() => decompress(gzipSync(TEXT), header)).toThrow(
          new InvalidBodyError(
            `got Content-Encoding "${encoding}", expected gzip, br`,
          ),
        );
      }
    },
  );

  it.each([
    { encoding: 'gzip', body: PLAIN, what: 'plain text' },
    { encoding: 'br', body: PLAIN, what: 'plain text' },
    {
      encoding: 'gzip',
      body: gzipSync(TEXT).subarray(0, -4),
      what: 'the first part',
    },
    {
      encoding: 'br',
      body: brotliCompressSync(TEXT.repeat(99)).subarray(0, 12),
      what: 'the first part',
    },
  ])('rejects $what that is declared as $encoding', async ({ encoding, body }) => {
    expect(() => decompress(body, encoding)).toThrow(
      new InvalidBodyError(
        `got ${body.length} bytes that are not valid ${encoding}`,
        expect.any(Error),
      ),
    );
  });

  it.each<[string, typeof gzipSync, number | undefined]>([
    ['gzip', gzipSync, undefined],
    ['br', brotliCompressSync, 100_000],
  ])(
    'stops decompressing a %s body at the size limit',
    (encoding, compress, maxBytes) => {
      const limit = maxBytes ?? 8_388_608;
      expect(() =>
        decompress(compress(Buffer.alloc(limit + 1)), encoding, maxBytes),
      ).toThrow(
        expect.objectContaining({
          message: `got more than ${limit} bytes`,
          cause: expect.any(RangeError),
        }),
      );
    },
  );
});

describe('decodeJson', () => {
  it.each(['["Poké\uFEFF"]', '\uFEFF["Poké\uFEFF"]', ' ["Poké\uFEFF"]\n'])(
    'decodes the JSON text %j',
    (text) => {
      expect(decodeJson(Buffer.from(text))).toEqual(['Poké\uFEFF']);
    },
  );

  it.each([
    [
      PLAIN.subarray(0, 9),
      String.raw`got "{\"name\":\"" in line 1, column 10, expected JSON`,
    ],
    [Buffer.of(), 'got nothing, expected JSON'],
  ])('rejects the invalid JSON %j', (body, problem) => {
    expect(() => decodeJson(body)).toThrow(
      new InvalidBodyError(problem, expect.any(SyntaxError)),
    );
  });

  it('rejects encodings other than UTF-8', () => {
    expect(() => decodeJson(Buffer.from('{"é":1}', 'latin1'))).toThrow(
      new InvalidBodyError('got 7 bytes that are not UTF-8'),
    );
  });
});
