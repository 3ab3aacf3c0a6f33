import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES } from '../../src/contract/meta.ts';
import { createEncoder, createListing } from '../../src/output/listing.ts';

describe('a listing', () => {
  it('takes no file that nobody could read back', () => {
    const { add, sizes } = createListing();
    const file = (path: string, bytes: number) => ({ path, bytes, sha256: '0'.repeat(64) });
    add(file('a', MAX_FILE_BYTES));
    expect(() => add(file('b', MAX_FILE_BYTES + 1))).toThrow(
      `b: has ${MAX_FILE_BYTES + 1} bytes, expected at most ${MAX_FILE_BYTES}`,
    );
    expect(sizes.size).toBe(1);
  });
});

it.each([0, 1, 1000, 300_000])('an encoder gives the bytes of %i characters', (length) => {
  const encode = createEncoder();
  const text = 'é'.repeat(length);
  expect(Buffer.from(encode(text)).equals(Buffer.from(text))).toBe(true);
});
