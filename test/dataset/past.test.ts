import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare } from '../../src/dataset/compare.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { continuePast, emptyPast, type PreviousState } from '../../src/dataset/past.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

type Version = ReturnType<typeof versionOf>;
const named = (...slugs: string[]) => versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));

const previousState = (version: Version, history: History): PreviousState => ({
  ...version,
  addresses: version.records,
  past: { ...emptyPast, history },
});

/** The history of consecutive versions. */
const historyOf = (first: Version, ...versions: Version[]) =>
  versions.reduce(
    ({ history, from }, to) => ({ history: extendHistory(history, compare(from, to)), from: to }),
    { history: emptyHistory, from: first },
  ).history;

describe('the history of continuePast', () => {
  const [a, b, c] = [named('a'), named('b'), named('c')];
  const [ab, ba, bc, ac] = [compare(a, b), compare(b, a), compare(b, c), compare(a, c)];
  const own = { steps: [ab] };
  /** The previous data set, the next data set's own history, and the published history. */
  type Given = { before?: Version; own?: History; published?: History; isDamaged?: boolean };
  const unrelated = { own: { steps: [bc] }, before: a, published: emptyHistory };

  it.each<[string, next: Version, Given, steps: History['steps'], isRestarted?: boolean]>([
    ['starts empty', a, {}, []],
    ["uses the data set's history if nothing is published", b, { own }, [ab]],
    ["uses the data set's history if it includes the published data", b, { own, before: a }, [ab]],
    ["uses the data set's history if the data is unchanged", b, { own, before: b }, [ab]],
    ['continues the published history', c, { before: b, published: own }, [bc, ab]],
    [
      'keeps the published history if the data is unchanged',
      b,
      { before: b, published: own },
      [ab],
    ],
    [
      'continues the published history if the other history lacks the published data',
      c,
      unrelated,
      [ac],
    ],
    [
      'keeps the published history if an older archive is restored',
      a,
      { own: emptyHistory, before: b, published: own },
      [ba, ab],
    ],
    [
      'keeps the published history if the newer archive is restored again',
      b,
      { own, before: a, published: { steps: [ba, ab] } },
      [ab, ba, ab],
    ],
    [
      "uses the data set's history if it returns to the published data after the published steps",
      b,
      { own: { steps: [ab, ba, ab] }, before: a, published: { steps: [ba, ab] } },
      [ab, ba, ab],
    ],
    [
      "uses the data set's history if it also has steps before the published ones",
      c,
      { own: { steps: [bc, ab] }, before: b, published: emptyHistory },
      [bc, ab],
    ],
    [
      'keeps the published history if the other history starts later',
      c,
      { own: { steps: [bc] }, before: b, published: own },
      [bc, ab],
    ],
    [
      "uses the data set's history if the published history is empty",
      c,
      { own: { steps: [bc] }, before: b },
      [bc],
    ],
    [
      'starts again if the published records are damaged',
      c,
      { before: b, published: own, isDamaged: true },
      [],
    ],
  ])('%s', (_, next, { before, own = emptyHistory, published, isDamaged = false }, steps) => {
    const state = before && previousState(before, published ?? emptyHistory);
    const previous = state && isDamaged ? { ...state, records: undefined } : state;
    const continued = continuePast({ ...next, past: { ...emptyPast, history: own } }, previous);
    expect(continued.history).toEqual({ steps });
    expect(continued.notices).toEqual(isDamaged ? [expect.stringContaining('starts again')] : []);
  });

  it('accepts a history that lacks only published steps beyond the limit', () => {
    const versions = Array.from({ length: 103 }, (_, at) => named(`slug-${at}`));
    const [first = named(), ...others] = versions;
    const [before = first, next = first] = versions.slice(-2);
    const published = historyOf(first, ...others.slice(0, -1));
    const long = historyOf(first, ...others);
    const choose = (history: History) =>
      continuePast({ ...next, past: { ...emptyPast, history } }, previousState(before, published))
        .history;
    expect(choose(long)).toBe(long);
    const short = { steps: long.steps.slice(0, -1) };
    expect(choose(short)).toEqual(long);
  });
});

it('continuePast keeps all old slugs, and adds those of renamed records', () => {
  const [before, next] = [named('a', 'b'), named('a', 'c')];
  const oldSlugs = (own: Record<string, number>) => ({
    ...noOldSlugs,
    move: new Map(Object.entries(own)),
  });
  const past = { ...emptyPast, oldSlugs: oldSlugs({ older: 1, x: 1 }) };
  const previous = { ...before, addresses: before.records, past };
  const ownPast = { ...emptyPast, oldSlugs: oldSlugs({ source: 2, x: 2 }) };
  expect(continuePast({ ...next, past: ownPast }, previous).oldSlugs).toEqual(
    oldSlugs({ source: 2, x: 1, older: 1, b: 2 }),
  );
});
