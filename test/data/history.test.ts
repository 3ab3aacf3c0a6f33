import { describe, expect, it } from 'vitest';
import type { History } from '../../src/contract/changes.ts';
import { compare } from '../../src/data/compare.ts';
import {
  decodeHistory,
  emptyHistory,
  encodeHistory,
  extendHistory,
  stepsSince,
} from '../../src/data/history.ts';
import { rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';
import { range } from '../support/upstream-data.ts';

type Version = ReturnType<typeof versionOf>;

/** Creates a data set with a move for each slug. */
function named(...slugs: string[]): Version {
  return versionOf(slugs.map((slug, at) => rawMove(at + 1, { slug })));
}

/** Creates a data set with this number of moves. */
function sized(moves: number): Version {
  return versionOf(range(1, moves).map((id) => rawMove(id)));
}

/** Creates the history of consecutive versions of the data. */
function historyOf(first: Version, ...versions: Version[]): History {
  let history = emptyHistory;
  let from = first;
  for (const to of versions) {
    history = extendHistory(history, compare(from, to));
    from = to;
  }
  return history;
}

describe('extendHistory', () => {
  it('puts a new step first, and adds no step if the data has not changed', () => {
    const history = historyOf(named('a'), named('b'), named('b'), named('b', 'c'));
    expect(history.steps).toMatchObject([
      { totals: { added: 1, removed: 0, renamed: 0, changed: 0 } },
      { totals: { added: 0, removed: 0, renamed: 1, changed: 0 } },
    ]);
  });

  it('keeps at most a hundred steps', () => {
    const versions = range(1, 130).map((version) => named(`slug-${version}`));
    const { steps } = historyOf(named('slug-0'), ...versions);
    expect(steps).toHaveLength(100);
    expect(steps[0]?.changes.move.renamed).toMatchObject([
      { from: 'slug-129', to: 'slug-130' },
    ]);
  });

  it.each([
    { sizes: [0, 5000, 0], steps: 2 },
    { sizes: [0, 6000, 0], steps: 1 },
  ])(
    'limits a history to ten thousand changes: $steps steps between data sets of $sizes records',
    ({ sizes, steps }) => {
      const [first = 0, ...others] = sizes;
      const history = historyOf(sized(first), ...others.map(sized));
      expect(history.steps).toHaveLength(steps);
    },
  );
});

describe('decodeHistory', () => {
  function decode(json: unknown, digest = ''): History {
    return decodeHistory(json, digest, 'changes.json');
  }

  it('decodes a history that was encoded with one step per line', () => {
    const history = historyOf(named('a'), named('b'), named('b', 'c'));
    const text = encodeHistory(history);
    // The first and the last line are brackets, and the text ends with a line break.
    expect(text.split('\n')).toHaveLength(5);
    const { digest } = named('b', 'c');
    expect(decode(JSON.parse(text), digest)).toEqual(history);
  });

  it('drops all steps after the first hundred without validating them', () => {
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

  it('rejects a history whose last step leads to another data set', () => {
    const json = JSON.parse(encodeHistory(historyOf(named('a'), named('b'))));
    const { digest: otherDigest } = named('a');
    const { digest } = named('b');
    expect(() => decode(json, otherDigest)).toThrow(
      `changes.json › steps[0].to.digest: got ${digest}, expected ${otherDigest}`,
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
