import { expect, it } from 'vitest';
import { countWarnings, groupWarnings } from '../../src/pipeline/report.ts';
import { everyKind } from '../support/kinds.ts';

it('counts the records with each warning, and how many of the warnings are new', () => {
  const warn = (kind: 'move' | 'item', code: string, ...ids: number[]) =>
    ids.map((id) => ({ code, kind, id, message: `${kind} ${id}` }));
  const warnings = [
    ...warn('item', 'other', 7),
    ...warn('item', 'no-icon', 1, 2, 3, 4),
    ...warn('move', 'other', 5),
  ];
  const groups = groupWarnings(warnings, warn('item', 'no-icon', 1, 2));
  expect(groups).toEqual([
    { kind: 'move', code: 'other', count: 1, added: 1, examples: ['move 5'] },
    { kind: 'item', code: 'other', count: 1, added: 1, examples: ['item 7'] },
    {
      kind: 'item',
      code: 'no-icon',
      count: 4,
      added: 2,
      examples: ['item 3', 'item 4'],
    },
  ]);
  const counted = everyKind<object>(
    { move: { other: 1 }, item: { other: 1, 'no-icon': 4 } },
    () => ({}),
  );
  expect(countWarnings(warnings)).toEqual(counted);
});
