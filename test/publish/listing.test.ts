import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../src/contract/meta.ts';
import type { Body } from '../../src/contract/site-file.ts';
import { createEncoder, createListing, measure } from '../../src/publish/listing.ts';

const whole = { path: 'whole', body: '' };

describe('a listing', () => {
  it('takes no file that nobody could read back', () => {
    const { add, sizes } = createListing();
    const file = (path: string, bytes: number) => ({ path, bytes, sha256: '0'.repeat(64) });
    add(file('a', MAX_FILE_BYTES), whole);
    expect(() => add(file('b', MAX_FILE_BYTES + 1), whole)).toThrow(
      `b: has ${MAX_FILE_BYTES + 1} bytes, expected at most ${MAX_FILE_BYTES}`,
    );
    expect(sizes.size).toBe(1);
  });
});

it.each([0, 1, 1000, 300_000])('an encoder gives the bytes of %i characters, also in pieces', (length) => {
  const encode = createEncoder();
  const text = 'é'.repeat(length);
  const encoded = (body: Body) => Array.from(encode(body), (piece) => Buffer.from(piece));
  expect(Buffer.concat(encoded(text)).equals(Buffer.from(text))).toBe(true);
  expect(Buffer.concat(encoded([text, 'à', text])).equals(Buffer.from(`${text}à${text}`))).toBe(true);
  expect(encoded(Buffer.from(text))).toEqual([Buffer.from(text)]);
  const whole = { bytes: 4 * length + 2, sha256: hash('sha256', `${text}à${text}`) };
  expect(measure(encode([text, 'à', text]))).toEqual(whole);
  expect(measure(encode(`${text}à${text}`))).toEqual(whole);
});
