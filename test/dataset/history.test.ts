import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare } from '../../src/dataset/compare.ts';
import {
  decodeHistory,
  decodeHistoryUpTo,
  emptyHistory,
  encodeHistory,
  extendHistory,
  stepsSince,
} from '../../src/dataset/history.ts';
import { correctHistory } from '../../src/sources/site.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

type Version = ReturnType<typeof versionOf>;
const named = (...slugs: string[]) =>
  versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));
const sized = (moves: number) =>
  versionOf(Array.from({ length: moves }, (_, at) => rawMove(at + 1)));

/** Creates the history of consecutive versions of the data. */
const historyOf = (first: Version, ...versions: Version[]) =>
  versions.reduce(
    ({ history, from }, to) => ({
      history: extendHistory(history, compare(from, to)),
      from: to,
    }),
    { history: emptyHistory, from: first },
  ).history;

describe('extendHistory', () => {
  it('adds a step only if the data has changed, newest first', () => {
    expect(
      historyOf(named('a'), named('b'), named('b'), named('b', 'c')).steps,
    ).toMatchObject([
      { totals: { added: 1, removed: 0, renamed: 0, changed: 0 } },
      { totals: { added: 0, removed: 0, renamed: 1, changed: 0 } },
    ]);
  });

  it('keeps at most a hundred steps', () => {
    const [first = named(), ...others] = Array.from({ length: 131 }, (_, at) =>
      named(`slug-${at}`),
    );
    const { steps } = historyOf(first, ...others);
    expect(steps).toHaveLength(100);
    expect(steps[0]?.changes.move.renamed).toMatchObject([
      { from: 'slug-129', to: 'slug-130' },
    ]);
  });

  it.each([
    [5000, 0, 2],
    [6000, 0, 1],
    [0, 11_000, 1],
  ])(
    'keeps at most ten thousand changes, but always the newest step: %i, then %i records',
    (second, third, steps) => {
      expect(
        historyOf(sized(second === 0 ? 1 : 0), sized(second), sized(third)).steps,
      ).toHaveLength(steps);
    },
  );
});

describe('decodeHistory', () => {
  const decode = (json: unknown, digest = '') =>
    decodeHistory(json, digest, { record: 'changes.json' });

  it('decodes a history that was encoded with one step per line', () => {
    const history = historyOf(named('a'), named('b'), named('b', 'c'));
    const { digest } = named('b', 'c');
    expect(decode(JSON.parse(encodeHistory(history)), digest)).toEqual(history);
    expect(encodeHistory(history).split('\n')).toHaveLength(5);
    expect(decode(JSON.parse(encodeHistory(emptyHistory)), digest)).toEqual(
      emptyHistory,
    );
  });

  it('ignores all steps after the first hundred without validating them', () => {
    const [step] = historyOf(named('a'), named('b'), named('a')).steps;
    const back = { ...step, from: step?.to };
    const json = { steps: [...Array(100).fill(back), ...Array(40_000).fill([])] };
    const { steps } = decode(json, `${step?.to.digest}`);
    expect(steps).toEqual(Array(100).fill(back));
    expect(() => decode({ steps: [[]] })).toThrow(
      'changes.json › steps[0]: got [], expected object',
    );
    expect(() => decode([])).toThrow('changes.json: got [], expected object');
  });

  it('rejects a history that ends at another data set', () => {
    const json = JSON.parse(encodeHistory(historyOf(named('a'), named('b'))));
    const [other, own] = [named('a').digest, named('b').digest];
    expect(() => decode(json, other)).toThrow(
      `changes.json › steps[0].to.digest: got ${own}, expected ${other}`,
    );
  });

  it('rejects an invalid field name', () => {
    const text = encodeHistory(historyOf(named('a'), named('b')));
    const changed = text.replace(
      '"fields":[]',
      '"fields":[{"field":"<b>","from":1,"to":2}]',
    );
    expect(() => decode(JSON.parse(changed))).toThrow(
      'got "<b>", expected a field name',
    );
  });
});

describe('decodeHistoryUpTo', () => {
  const history = historyOf(named('a'), named('b'), named('c'));
  const decode = (slug: string) =>
    decodeHistoryUpTo(
      JSON.parse(encodeHistory(history)),
      named(slug).digest,
      'changes.json',
    );

  it.each([
    ['c', 2],
    ['b', 1],
    ['a', 0],
  ])('drops the steps after the data set %s', (slug, count) => {
    expect(decode(slug).steps).toEqual(history.steps.slice(2 - count));
  });

  it('rejects a history that does not contain the data set', () => {
    expect(() => decode('other')).toThrow(
      `changes.json: got no step to ${named('other').digest}, the digest of the records`,
    );
  });
});

it('stepsSince returns the steps that follow a data set', () => {
  const history = historyOf(named('a'), named('b'), named('c'));
  const since = ['a', 'b', 'c', 'd'].map((slug) =>
    stepsSince(history, named(slug).digest),
  );
  expect(since).toEqual([history.steps, history.steps.slice(0, 1), [], []]);
  expect(stepsSince(emptyHistory, undefined)).toEqual([]);
});

it('correctHistory replaces only dates that are in the future', () => {
  const dated = (captured: string | null, slug: string) => ({
    ...named(slug),
    captured,
  });
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
  const changes = ({ steps }: History) =>
    steps.map(({ totals, changes }) => ({ totals, changes }));
  expect(changes(corrected)).toEqual(changes(history));
});
