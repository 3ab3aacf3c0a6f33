import { describe, expect, it } from 'vitest';
import {
  decodeOldSlugs,
  encodeOldSlugs,
  findOldSlugs,
  mergeOldSlugs,
  noOldSlugs,
} from '../../src/data/old-slugs.ts';
import { createRedirects } from '../../src/data/redirects.ts';
import { forOthers } from '../support/kinds.ts';
import { rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

const named = (...slugs: string[]) =>
  versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug }))).records;
const oldSlugs = (move: Record<string, number>) => ({
  ...noOldSlugs,
  move: new Map(Object.entries(move)),
});
const pathOf = (slug: string) => `/api/gamedata/move/${slug}/`;

describe('old slugs', () => {
  it('assigns each old slug to the last record that had it', () => {
    expect(findOldSlugs(named('a', 'b', 'c'), named('a', 'x'))).toEqual(
      oldSlugs({ b: 2, c: 3 }),
    );
    expect(mergeOldSlugs(oldSlugs({ a: 1, b: 1 }), oldSlugs({ a: 2 }))).toEqual(
      oldSlugs({ a: 2, b: 1 }),
    );
  });

  it('encodes old slugs in alphabetical order and decodes them again', () => {
    const own = oldSlugs({ constructor: 2, b: 1, 'a-1': 3 });
    const others = forOthers((kind) => `,\n "${kind}": {}`);
    expect(encodeOldSlugs(own)).toBe(
      `{\n "move": {\n  "a-1": 3,\n  "b": 1,\n  "constructor": 2\n },\n "item": {}${others}\n}\n`,
    );
    expect(decodeOldSlugs(JSON.parse(encodeOldSlugs(own)), 'x')).toEqual(own);
    expect(() =>
      decodeOldSlugs({ move: { a: 'b' }, item: {} }, 'old-slugs.json'),
    ).toThrow('old-slugs.json › move.a: got "b"');
  });
});

describe('createRedirects', () => {
  it.each<
    [string, versions: ReturnType<typeof named>[], redirects: Record<string, string>]
  >([
    ['a renamed record', [named('a'), named('b')], { a: 'b' }],
    [
      'a record renamed twice',
      [named('a'), named('b'), named('c')],
      { a: 'c', b: 'c' },
    ],
    [
      'an old slug that another record has now',
      [named('a'), named('b'), named('b', 'a')],
      {},
    ],
    [
      'a slug that two records had',
      [named('a', 'x'), named('b', 'x'), named('b', 'a'), named('b', 'y')],
      { a: 'y', x: 'y' },
    ],
    [
      'a slug whose last record is gone',
      [named('a'), named('b'), named('b', 'a'), named('b')],
      {},
    ],
  ])(
    'creates the right redirects for %s',
    (_, [first = named(), ...others], redirects) => {
      const { known, last } = others.reduce(
        ({ known, last }, to) => ({
          known: mergeOldSlugs(known, findOldSlugs(last, to)),
          last: to,
        }),
        { known: noOldSlugs, last: first },
      );
      const expected = Object.entries(redirects).map(([path, to]) => ({
        path: pathOf(path),
        to: pathOf(to),
      }));
      expect(createRedirects(known, last)).toEqual(expected);
    },
  );
});
