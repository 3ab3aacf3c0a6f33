import { expect, it } from 'vitest';
import { byPath } from '../../src/output/published.ts';

it('a manifest finds its entries by path without looking through all of them each time', () => {
  let looks = 0;
  const files = Array.from({ length: 1000 }, (_, at) => ({
    get path() {
      looks++;
      return `${at}`;
    },
    bytes: 1,
    sha256: '',
  }));
  const entries = byPath(files);
  for (let at = 0; at < 1000; at++) expect(entries.has(`${at}`)).toBe(true);
  expect(entries.has('1000')).toBe(false);
  expect(entries.get('7')).toBe(files[7]);
  expect(looks).toBeLessThan(10 * files.length);
});
