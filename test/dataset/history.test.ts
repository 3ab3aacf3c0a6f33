import { describe, expect, it } from 'vitest';
import type { DataSetSummary, History } from '../../src/contract/changes.ts';
import { compare } from '../../src/dataset/compare.ts';
import type { AnyRecords } from '../../src/dataset/data-set.ts';
import {
  continueHistory,
  decodeHistory,
  emptyHistory,
  encodeHistory,
  extendHistory,
  stepsSince,
} from '../../src/dataset/history.ts';
import { correctHistory } from '../../src/sources/site.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

type Version = ReturnType<typeof versionOf>;
type Previous = DataSetSummary & { records: AnyRecords | undefined };
const named = (...slugs: string[]) => versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));
const sized = (moves: number) =>
  versionOf(Array.from({ length: moves }, (_, at) => rawMove(at + 1)));

/** The history of consecutive versions. */
const historyOf = (first: Version, ...versions: Version[]) =>
  versions.reduce(
    ({ history, from }, to) => ({ history: extendHistory(history, compare(from, to)), from: to }),
    { history: emptyHistory, from: first },
  ).history;

describe('extendHistory', () => {
  it('adds steps with changes at the start', () => {
    expect(historyOf(named('a'), named('b'), named('b'), named('b', 'c')).steps).toMatchObject([
      { totals: { added: 1, removed: 0, renamed: 0, changed: 0 } },
      { totals: { added: 0, removed: 0, renamed: 1, changed: 0 } },
    ]);
  });

  it('keeps a hundred steps', () => {
    const [first = named(), ...others] = Array.from({ length: 131 }, (_, at) =>
      named(`slug-${at}`),
    );
    const { steps } = historyOf(first, ...others);
    expect(steps).toHaveLength(100);
    expect(steps[0]?.changes.move.renamed).toMatchObject([{ from: 'slug-129', to: 'slug-130' }]);
  });

  it.each([
    [5000, 0, 2],
    [6000, 0, 1],
    [0, 11_000, 1],
  ])(
    'keeps ten thousand changes and the newest step: %i, then %i records',
    (second, third, steps) => {
      expect(
        historyOf(sized(second === 0 ? 1 : 0), sized(second), sized(third)).steps,
      ).toHaveLength(steps);
    },
  );
});

describe('decodeHistory', () => {
  it('decodes an encoded history with one line per step', () => {
    const history = historyOf(named('a'), named('b'), named('b', 'c'));
    expect(decodeHistory(JSON.parse(encodeHistory(history)))).toEqual(history);
    expect(encodeHistory(history).split('\n')).toHaveLength(5);
    expect(decodeHistory(JSON.parse(encodeHistory(emptyHistory)))).toEqual(emptyHistory);
  });

  it('ignores all steps after the first hundred', () => {
    const [step] = historyOf(named('a'), named('b'), named('a')).steps;
    const back = { ...step, from: step?.to };
    const { steps } = decodeHistory({
      steps: [...Array(100).fill(back), ...Array(40_000).fill([])],
    });
    expect(steps).toEqual(Array(100).fill(back));
    expect(() => decodeHistory({ steps: [[]] })).toThrow(
      'changes.json › steps[0]: got [], expected object',
    );
    expect(() => decodeHistory([])).toThrow('changes.json: got [], expected object');
  });

  it('rejects an invalid field name', () => {
    const text = encodeHistory(historyOf(named('a'), named('b')));
    const changed = text.replace('"fields":[]', '"fields":[{"field":"<b>","from":1,"to":2}]');
    expect(() => decodeHistory(JSON.parse(changed))).toThrow('got "<b>", expected a field name');
  });
});

it('stepsSince returns the steps that follow a data set', () => {
  const history = historyOf(named('a'), named('b'), named('c'));
  const since = ['a', 'b', 'c', 'd'].map((slug) => stepsSince(history, named(slug).digest));
  expect(since).toEqual([history.steps, history.steps.slice(0, 1), [], []]);
  expect(stepsSince(emptyHistory, undefined)).toEqual([]);
});

it('correctHistory replaces only dates in the future', () => {
  const dated = (captured: string | null, slug: string) => ({ ...named(slug), captured });
  const days = ({ steps }: History) =>
    steps.map(({ from, to }) => `${from.captured} ${to.captured}`);
  const history = historyOf(
    ...[dated(null, 'a'), dated('2026-01-01', 'b')],
    ...[dated('2026-02-01', 'c'), dated('2027-01-01', 'd')],
  );
  const corrected = correctHistory(history, '2026-02-01');
  expect(days(corrected)).toEqual([
    '2026-02-01 2026-02-01',
    '2026-01-01 2026-02-01',
    'null 2026-01-01',
  ]);
  const changes = ({ steps }: History) => steps.map(({ totals, changes }) => ({ totals, changes }));
  expect(changes(corrected)).toEqual(changes(history));
});

describe('continueHistory', () => {
  const [a, b, c] = [named('a'), named('b'), named('c')];
  const [ab, ba, bc, ac] = [compare(a, b), compare(b, a), compare(b, c), compare(a, c)];
  const own = { steps: [ab] };
  /** The previous data set, the next data set's own history, and the published history. */
  type Given = { before?: Previous; own?: History; published?: History };
  const unrelated = { own: { steps: [bc] }, before: a, published: emptyHistory };
  const damaged = { ...b, records: undefined };

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
      "uses the data set's history if the published history is damaged",
      c,
      { own: { steps: [bc] }, before: b },
      [bc],
    ],
    [
      'starts again if the published history ends at other data',
      c,
      { before: a, published: own },
      [ac],
      true,
    ],
    ['starts again even if the data is unchanged', a, { before: a, published: own }, [], true],
    ['starts again if the published history is damaged', c, { before: a }, [ac], true],
    [
      'starts again if published records are damaged',
      c,
      { before: damaged, published: own },
      [],
      true,
    ],
  ])('%s', (_, next, { before, own, published: history }, steps, isRestarted = false) => {
    const previous = before && { ...before, history };
    const notices = isRestarted ? [expect.stringContaining('starts again')] : [];
    expect(continueHistory({ ...next, history: own }, previous)).toEqual({
      history: { steps },
      notices,
    });
  });

  it('accepts a history that lacks only published steps beyond the limit', () => {
    const versions = Array.from({ length: 103 }, (_, at) => named(`slug-${at}`));
    const [first = named(), ...others] = versions;
    const [before = first, next = first] = versions.slice(-2);
    const published = historyOf(first, ...others.slice(0, -1));
    const long = historyOf(first, ...others);
    const choose = (history: History) =>
      continueHistory({ ...next, history }, { ...before, history: published }).history;
    expect(choose(long)).toBe(long);
    const short = { steps: long.steps.slice(0, -1) };
    expect(choose(short)).toEqual(long);
  });
});
