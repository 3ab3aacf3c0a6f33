import { expect, it } from 'vitest';
import { getColorClass, traceGlyph } from '../../../src/web/glyph/render-glyph.ts';

it('traces neighboring pixels of a row as one rectangle', () => {
  const glyph = ['##.+', '...#'];
  expect(traceGlyph(glyph)).toEqual({
    ink: 'M0 0h2v1h-2zM3 1h1v1h-1z',
    shade: 'M3 0h1v1h-1z',
  });
});

it('traces a glyph at the given position', () => {
  expect(traceGlyph(['#'], 14, 26).ink).toBe('M14 26h1v1h-1z');
});

it.each([
  [null, 'g0'],
  [1, 'g1'],
  [9, 'g9'],
  [10, 'g1'],
])('colors a record of generation %s with the class %s', (generation, name) => {
  expect(getColorClass(generation)).toBe(name);
});
