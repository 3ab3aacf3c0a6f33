import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byPath } from '../../src/contract/entries.ts';

const entryOf = (path: string) => ({ path, bytes: 1, sha256: '' });

it('entries are found by path, also in a manifest that somebody has put into another order', () => {
  const some = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', 'é', '🙂') }));
  fc.assert(
    fc.property(some, fc.boolean(), fc.string(), (paths, isSorted, other) => {
      const files = (isSorted ? [...paths].sort() : paths).map(entryOf);
      const entries = byPath(files);
      for (const entry of files) expect(entries.get(entry.path)).toBe(entry);
      expect(entries.has(other)).toBe(paths.includes(other));
      expect([...entries.keys()]).toEqual(files.map(({ path }) => path));
      expect(entries.size).toBe(files.length);
    }),
  );
});

it('entries are found without looking through all of them each time', () => {
  let looks = 0;
  const names = Array.from({ length: 1000 }, (_, at) => String(at).padStart(4, '0'));
  const files = names.map((name) => ({
    ...entryOf(''),
    get path() {
      looks++;
      return name;
    },
  }));
  const entries = byPath(files);
  for (const name of names) expect(entries.has(name)).toBe(true);
  expect(entries.has('1000')).toBe(false);
  expect(looks).toBeLessThan(20 * files.length);
});
