import { expect, it } from 'vitest';
import { findFirstGeneration } from '../../src/data/find-generation.ts';

it.each([
  [{ generation: 2 }, 2],
  [{ id: 1, id1: null, id2: 5, id3: 6 }, 2],
  [{ id: 1, id1: null }, null],
  [{ id: 1 }, null],
])('finds the generation of %j: %s', (fields, generation) => {
  expect(findFirstGeneration(fields)).toBe(generation);
});
