import type { Glyph } from './draw-glyph.ts';
import { type GlyphPaths, traceGlyph } from './render-glyph.ts';

/** The width of a cell in pixels of a glyph: 8 for the glyph, and 4 for the gap. */
export const CELL_UNITS = 12;
const GLYPH_OFFSET = 2;

/** Traces a glyph in the cell with the given index, in a grid that is filled row by row. */
export function traceInGrid(
  glyph: Glyph,
  index: number,
  columns: number,
): GlyphPaths {
  const column = index % columns;
  const row = Math.floor(index / columns);
  const left = column * CELL_UNITS + GLYPH_OFFSET;
  const top = row * CELL_UNITS + GLYPH_OFFSET;
  return traceGlyph(glyph, left, top);
}
