import { expect, it } from 'vitest';
import { historySchema } from '../../src/contract/changes.ts';

const none = { added: [], removed: [], renamed: [], changed: [] };
const summary = (digit: number) => ({
  digest: `sha256:${String(digit).repeat(64)}`,
  captured: '2026-01-02',
  counts: { move: 1, item: 1 },
});
const step = ([from, to]: readonly [number, number]) => ({
  from: summary(from),
  to: { ...summary(to), edition: null },
  totals: { added: 0, removed: 0, renamed: 0, changed: 0 },
  changes: { move: none, item: none },
});

it.each<[boolean, ...(readonly [number, number])[]]>([
  [true],
  [true, [1, 2]],
  [true, [3, 4], [2, 3], [1, 2]],
  [false, [1, 2], [2, 3]],
  [false, [4, 5], [2, 3], [1, 2]],
  [false, [3, 4], [2, 3], [0, 1]],
])(
  'accepts a history only if its steps are consecutive, newest first: %s for %j %j %j',
  (isValid, ...steps) => {
    expect(historySchema.safeParse({ steps: steps.map(step) }).success).toBe(
      isValid,
    );
  },
);
