import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { recordPath } from '../../src/contract/paths.ts';
import { compare } from '../../src/dataset/compare.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import {
  createRedirects,
  noOldSlugs,
  type OldSlugs,
} from '../../src/dataset/old-slugs.ts';
import {
  continuePast,
  emptyPast,
  keepPast,
  type Past,
  type PreviousState,
} from '../../src/dataset/past.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

type Version = ReturnType<typeof versionOf>;

/**
 * Creates a version of the data whose moves have the given slugs, in order of id.
 */
function named(...slugs: string[]): Version {
  return versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));
}

function previousState(version: Version, history: History): PreviousState {
  return { ...version, addresses: version.records, past: { ...emptyPast, history } };
}

/** Creates the history of consecutive versions of the data. */
function historyOf(first: Version, ...others: Version[]): History {
  let history = emptyHistory;
  let from = first;
  for (const to of others) {
    history = extendHistory(history, compare(from, to));
    from = to;
  }
  return history;
}

describe('the history of continuePast', () => {
  const a = named('a');
  const b = named('b');
  const c = named('c');
  const ab = compare(a, b);
  const ba = compare(b, a);
  const bc = compare(b, c);
  const ac = compare(a, c);
  const toB = { steps: [ab] };

  interface Histories {
    /** The published data set. */
    readonly before: Version;
    readonly published: History;
    /** The history that the source has recorded. */
    readonly source: History;
  }

  it.each<[title: string, next: Version, Histories, expected: History['steps']]>([
    [
      "uses the source's history if it includes the published data",
      b,
      { before: a, published: emptyHistory, source: toB },
      [ab],
    ],
    [
      'continues the published history if the source has none',
      c,
      { before: b, published: toB, source: emptyHistory },
      [bc, ab],
    ],
    [
      "continues the published history if the source's history does not contain the published data",
      c,
      { before: a, published: emptyHistory, source: { steps: [bc] } },
      [ac],
    ],
    [
      'continues the published history if an older archive is restored',
      a,
      { before: b, published: toB, source: emptyHistory },
      [ba, ab],
    ],
    [
      'continues the published history if the newer archive is restored again',
      b,
      { before: a, published: { steps: [ba, ab] }, source: toB },
      [ab, ba, ab],
    ],
    [
      "uses the source's history if it returns to the published data after the published steps",
      b,
      { before: a, published: { steps: [ba, ab] }, source: { steps: [ab, ba, ab] } },
      [ab, ba, ab],
    ],
    [
      "uses the source's history if it also has steps before the published ones",
      c,
      { before: b, published: emptyHistory, source: { steps: [bc, ab] } },
      [bc, ab],
    ],
    [
      "continues the published history if the source's history starts later",
      c,
      { before: b, published: toB, source: { steps: [bc] } },
      [bc, ab],
    ],
  ])('%s', (_, next, { before, published, source }, expected) => {
    const previous = previousState(before, published);
    const nextState = { ...next, past: { ...emptyPast, history: source } };
    const { history, notices } = continuePast(nextState, previous);
    expect(history).toEqual({ steps: expected });
    expect(notices).toEqual([]);
  });

  it.each([
    ['the history of the source', { steps: [bc] }],
    ['an empty history', emptyHistory],
  ])('starts again with %s if the published records are damaged', (_, source) => {
    const previous = { ...previousState(a, emptyHistory), records: undefined };
    const next = { ...c, past: { ...emptyPast, history: source } };
    const { history, notices } = continuePast(next, previous);
    expect(history).toEqual(source);
    expect(notices).toEqual([expect.stringContaining('starts again')]);
  });

  it('accepts a history that omits only published steps beyond the limit', () => {
    const first = named('slug-0');
    const others = Array.from({ length: 100 }, (_, at) => named(`slug-${at + 1}`));
    const published = named('slug-101');
    const next = named('slug-102');
    const publishedHistory = historyOf(first, ...others, published);
    const nextHistory = historyOf(first, ...others, published, next);
    const previous = previousState(published, publishedHistory);
    function choose(history: History): History {
      return continuePast({ ...next, past: { ...emptyPast, history } }, previous)
        .history;
    }
    expect(choose(nextHistory)).toBe(nextHistory);
    const shortHistory = { steps: nextHistory.steps.slice(0, -1) };
    expect(choose(shortHistory)).toEqual(nextHistory);
  });
});

describe('keepPast', () => {
  const a = named('a');
  const b = named('b');
  const history = { steps: [compare(a, b)] };
  const withHistory = { ...emptyPast, history };

  it("uses the source's history if the published history is shorter", () => {
    expect(keepPast(withHistory, emptyPast, b.digest)).toEqual(withHistory);
  });

  it("keeps the published history if the source's history is shorter", () => {
    expect(keepPast(emptyPast, withHistory, b.digest)).toEqual(withHistory);
  });

  it('keeps the old slugs of both data sets', () => {
    const source = createPast({ x: 1, both: 1 });
    const published = createPast({ y: 2, both: 2 });
    const { oldSlugs } = keepPast(source, published, a.digest);
    expect(oldSlugs).toEqual(createPast({ x: 1, y: 2, both: 2 }).oldSlugs);
  });
});

/** @param slugs maps old slugs of moves to ids */
function createPast(slugs: Readonly<Record<string, number>>): Past {
  const oldSlugs = { ...noOldSlugs, move: new Map(Object.entries(slugs)) };
  return { ...emptyPast, oldSlugs };
}

it('continuePast keeps all old slugs and adds the previous slugs of renamed records', () => {
  const published = named('a', 'b');
  const previous = {
    ...published,
    addresses: published.records,
    past: createPast({ older: 1, x: 1 }),
  };
  const next = { ...named('a', 'c'), past: createPast({ source: 2, x: 2 }) };
  const { oldSlugs } = continuePast(next, previous);
  expect(oldSlugs).toEqual(createPast({ source: 2, x: 1, older: 1, b: 2 }).oldSlugs);
});

/** Maps each path of the moves, including redirects, to the id of its record. */
function mapPaths({ records }: Version, oldSlugs: OldSlugs): Map<string, unknown> {
  const idsByPath = new Map<string, unknown>();
  for (const { id, slug } of records.move) {
    idsByPath.set(recordPath('move', slug), id);
  }
  for (const { path, to } of createRedirects(oldSlugs, records)) {
    idsByPath.set(path, idsByPath.get(to));
  }
  return idsByPath;
}

it('continuePast keeps every path to a record that still exists', () => {
  const id = fc.integer({ min: 1, max: 4 });
  const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const moves = fc.uniqueArray(fc.record({ id, slug }), {
    comparator: (one, other) => one.id === other.id || one.slug === other.slug,
  });
  const oldMoves = fc.dictionary(slug, id);
  const states = fc.tuple(moves, oldMoves).map(([moves, oldMoves]) => ({
    ...versionOf(moves.map((move) => rawMove(move.id, { slug: move.slug }))),
    past: createPast(oldMoves),
  }));

  fc.assert(
    fc.property(states, states, (published, next) => {
      const previous = { ...published, addresses: published.records };
      const { oldSlugs } = continuePast(next, previous);
      const nextIds = new Set<unknown>(next.records.move.map((move) => move.id));
      const nextPaths = mapPaths(next, oldSlugs);
      const publishedPaths = mapPaths(published, published.past.oldSlugs);
      for (const [path, recordId] of publishedPaths) {
        if (nextIds.has(recordId)) expect([...nextPaths.keys()]).toContain(path);
      }
    }),
    { numRuns: 200 },
  );
});
