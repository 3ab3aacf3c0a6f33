import { describe, expect, it } from 'vitest';
import {
  createRedirects,
  decodeFormer,
  encodeFormer,
  findOldSlugs,
  mergeFormer,
  noFormer,
  readRedirects,
  selectMatching,
} from '../../src/dataset/former.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { forOthers } from '../support/kinds.ts';
import { rawMove } from '../support/sites.ts';

const named = (...slugs: string[]) => versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));
const former = (move: Record<string, number>) => ({ ...noFormer, move: new Map(Object.entries(move)) });

describe('old slugs', () => {
  it('are those that records have left, renamed or removed; the later counts', () => {
    expect(findOldSlugs(named('a', 'b', 'c').records, named('a', 'x').records)).toEqual(
      former({ b: 2, c: 3 }),
    );
    expect(mergeFormer(former({ a: 1, b: 1 }), former({ a: 2 }))).toEqual(former({ a: 2, b: 1 }));
  });

  it('are the same after they were written and read, in order', () => {
    const own = former({ constructor: 2, b: 1, 'a-1': 3 });
    const others = forOthers((kind) => `,\n "${kind}": {}`);
    expect(encodeFormer(own)).toBe(
      `{\n "move": {\n  "a-1": 3,\n  "b": 1,\n  "constructor": 2\n },\n "item": {}${others}\n}\n`,
    );
    expect(decodeFormer(JSON.parse(encodeFormer(own)))).toEqual(own);
    expect(() => decodeFormer({ move: { a: 'b' }, item: {} })).toThrow('former.json › move.a: got "b"');
    expect(createRedirects(former({ a: 1 }), named('constructor').records)).toHaveLength(1);
  });

  it('of another data set count where it has the same records', () => {
    const its = named('a', 'b', 'c');
    const own = named('a', 'x', 'c');
    expect(selectMatching(former({ old: 1, 'old-2': 2, 'old-4': 4 }), its.records, own.records)).toEqual(
      former({ old: 1 }),
    );
  });

  it('are read from the redirects of a site', () => {
    const moved = {
      '/api/gamedata/move/lost/': '/api/gamedata/move/c/',
      '/elsewhere/': '/',
      '/api/gamedata/move/gone/': '/api/gamedata/move/y/',
    };
    expect(readRedirects(moved, named('c', 'x').records)).toEqual(former({ lost: 1 }));
  });
});

describe('moved addresses', () => {
  const at = (slug: string) => `/api/gamedata/move/${slug}/`;
  it.each<[string, editions: ReturnType<typeof named>[], moved: [from: string, to: string][]]>([
    ['nothing was renamed', [named('a'), named('a', 'b')], []],
    ['a record was renamed', [named('a'), named('b')], [['a', 'b']]],
    [
      'a record was renamed twice',
      [named('a'), named('b'), named('c')],
      [
        ['a', 'c'],
        ['b', 'c'],
      ],
    ],
    ['a record got its old name back', [named('a'), named('b'), named('a')], [['b', 'a']]],
    ['another record has the old name now', [named('a'), named('b'), named('b', 'a')], []],
    ['two records swapped names', [named('a', 'b'), named('b', 'a')], []],
    [
      'two records had the same name one after the other: the last counts',
      [named('a', 'x'), named('b', 'x'), named('b', 'a'), named('b', 'y')],
      [
        ['a', 'y'],
        ['x', 'y'],
      ],
    ],
    [
      'another record had the old name since, and is gone: the last counts',
      [named('a'), named('b'), named('b', 'a'), named('b')],
      [],
    ],
    ['the renamed record is gone', [named('a'), named('b'), versionOf([])], []],
  ])('if %s', (_, editions, moved) => {
    const now = editions.at(-1) ?? versionOf([]);
    const former = editions
      .slice(1)
      .reduce(
        (known, to, at) => mergeFormer(known, findOldSlugs(editions[at]?.records ?? to.records, to.records)),
        noFormer,
      );
    expect(createRedirects(former, now.records)).toEqual(
      moved.map(([from, to]) => ({ path: at(from), to: at(to) })),
    );
  });
});
