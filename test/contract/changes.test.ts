import { expect, it } from 'vitest';
import { historySchema } from '../../src/contract/changes.ts';

/** A number of a data set in a history. Equal numbers have equal digests. */
type Version = number;
/** A step of a history: the data set before and after a change. */
type Step = readonly [from: Version, to: Version];

const unchanged = { added: [], removed: [], renamed: [], changed: [] };

function createSummary(version: Version) {
  const digit = String(version);
  return {
    digest: `sha256:${digit.repeat(64)}`,
    captured: '2026-01-02',
    counts: { move: 1, item: 1 },
  };
}

function createStep([from, to]: Step) {
  return {
    from: createSummary(from),
    to: { ...createSummary(to), edition: null },
    totals: { added: 0, removed: 0, renamed: 0, changed: 0 },
    changes: { move: unchanged, item: unchanged },
  };
}

function isValidHistory(steps: readonly Step[]): boolean {
  const history = { steps: steps.map(createStep) };
  return historySchema.safeParse(history).success;
}

it.each<{ steps: readonly Step[] }>([
  { steps: [] },
  { steps: [[1, 2]] },
  {
    steps: [
      [3, 4],
      [2, 3],
      [1, 2],
    ],
  },
])('accepts a history of consecutive steps, newest first: $steps', ({ steps }) => {
  expect(isValidHistory(steps)).toBe(true);
});

it.each<{ problem: string; steps: readonly Step[] }>([
  {
    problem: 'the oldest step is first',
    steps: [
      [1, 2],
      [2, 3],
    ],
  },
  {
    problem: 'a step is missing after the first one',
    steps: [
      [4, 5],
      [2, 3],
      [1, 2],
    ],
  },
  {
    problem: 'a step is missing before the last one',
    steps: [
      [3, 4],
      [2, 3],
      [0, 1],
    ],
  },
])('rejects a history if $problem', ({ steps }) => {
  expect(isValidHistory(steps)).toBe(false);
});
