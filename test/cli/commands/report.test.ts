import { expect, it } from 'vitest';
import { countWarnings, groupWarnings } from '../../../src/cli/report.ts';
import type { Warning } from '../../../src/dataset/data-set.ts';
import { everyKind } from '../../support/kinds.ts';

const warning = (kind: 'move' | 'item', code: string, id: number): Warning => ({
  code,
  kind,
  id,
  message: `${kind} ${id}`,
});

it('warnings are reported by kind and code, with their number and the first three', () => {
  expect(groupWarnings([])).toEqual([]);
  const items = [1, 2, 3, 4].map((id) => warning('item', 'no-icon', id));
  const groups = groupWarnings([warning('item', 'other', 7), ...items, warning('move', 'other', 5)]);
  expect(groups).toEqual([
    { kind: 'move', code: 'other', count: 1, examples: ['move 5'] },
    { kind: 'item', code: 'other', count: 1, examples: ['item 7'] },
    { kind: 'item', code: 'no-icon', count: 4, examples: ['item 1', 'item 2', 'item 3'] },
  ]);
  const counts = everyKind<object>({ move: { other: 1 }, item: { other: 1, 'no-icon': 4 } }, () => ({}));
  expect(countWarnings(groups)).toEqual(counts);
  expect(countWarnings([])).toEqual(everyKind({}, () => ({})));
});
