import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeJson, decompress, InvalidBodyError, MAX_BODY_BYTES } from '../../src/http/body.ts';

const TEXT = '{"name":"Poké Ball"}';
const PLAIN = Buffer.from(TEXT);

describe('decompress', () => {
  it.each<[encoding: string | undefined, body: Uint8Array]>([
    ...[undefined, '', 'identity', ' Identity'].map((name): [string | undefined, Buffer] => [name, PLAIN]),
    ...['gzip', 'GZIP', ' gzip ', 'X-Gzip'].map((name): [string, Buffer] => [name, gzipSync(TEXT)]),
    ['br', brotliCompressSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
  ])('undoes %s', (encoding, body) => {
    expect(String(decompress(Buffer.from(body), encoding))).toBe(TEXT);
  });

  it.each(['zstd', 'gzip, br', 'constructor', '__proto__'])('refuses the encoding %j', async (encoding) => {
    expect(() => decompress(Buffer.from(TEXT), encoding)).toThrow(
      new InvalidBodyError(`got Content-Encoding "${encoding}", expected gzip, br`),
    );
  });

  it.each([
    { encoding: 'gzip', body: Buffer.from(TEXT), what: 'plain text' },
    { encoding: 'br', body: Buffer.from(TEXT), what: 'plain text' },
    { encoding: 'gzip', body: gzipSync(TEXT).subarray(0, -4), what: 'the first part' },
    { encoding: 'br', body: brotliCompressSync(TEXT.repeat(99)).subarray(0, 12), what: 'the first part' },
  ])('rejects $what as $encoding', async ({ encoding, body }) => {
    expect(() => decompress(body, encoding)).toThrow(
      new InvalidBodyError(`got ${body.length} bytes that are not valid ${encoding}`, expect.any(Error)),
    );
  });

  it.each([
    { encoding: 'gzip', compress: gzipSync },
    { encoding: 'br', compress: brotliCompressSync },
  ])('stops at the cap, however small the $encoding body is', async ({ encoding, compress }) => {
    const bomb = compress(Buffer.alloc(MAX_BODY_BYTES + 1));
    expect(bomb.length).toBeLessThan(20_000);
    expect(() => decompress(bomb, encoding)).toThrow(
      expect.objectContaining({ message: 'got more than 8388608 bytes', cause: expect.any(RangeError) }),
    );
  });
});

describe('decodeJson', () => {
  it('keeps a byte order mark that is not at the start', () => {
    expect(decodeJson(Buffer.from('["\uFEFF"]'))).toEqual(['\uFEFF']);
  });

  it('names the cause of a failure', () => {
    expect(() => decodeJson(Buffer.from('{'))).toThrow(
      expect.objectContaining({ cause: expect.any(SyntaxError) }),
    );
  });

  it.each([
    ['', TEXT],
    ['with a byte order mark', `\uFEFF${TEXT}`],
    ['with space around it', ` ${TEXT}\n`],
  ])('reads JSON %s', (_, text) => {
    expect(decodeJson(Buffer.from(text))).toEqual({ name: 'Poké Ball' });
  });

  it.each([
    {
      body: Buffer.from(TEXT.slice(0, 9)),
      problem: String.raw`got "{\"name\":\"" in line 1, column 10, expected JSON`,
    },
    { body: Buffer.of(), problem: 'got nothing, expected JSON' },
    { body: Buffer.from('{"é":1}', 'latin1'), problem: 'got 7 bytes that are not UTF-8' },
  ])('rejects a body: $problem', ({ body, problem }) => {
    expect(() => decodeJson(body)).toThrow(expect.objectContaining({ message: problem }));
    expect(() => decodeJson(body)).toThrow(InvalidBodyError);
  });
});
