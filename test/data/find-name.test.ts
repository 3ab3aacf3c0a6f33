import { expect, it } from 'vitest';
import { findName } from '../../src/data/find-name.ts';
import { namesIn } from '../support/kinds.ts';

const french = namesIn('fr', {
  move: { pound: 'Écras’Face' },
  item: { potion: 'Potion' },
});

it.each([
  ['move', 'pound', 'Écras’Face'],
  ['item', 'pound', undefined],
  ['move', 'constructor', undefined],
] as const)('finds the name of the %s %s: %s', (kind, slug, name) => {
  expect(findName(french, kind, slug)).toBe(name);
});

it('finds no name if a language has no names', () => {
  expect(findName(undefined, 'move', 'pound')).toBeUndefined();
});
