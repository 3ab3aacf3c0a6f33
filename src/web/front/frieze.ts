import { drawGlyph } from '../glyph/draw-glyph.ts';
import { CELL_UNITS, traceInGrid } from '../glyph/glyph-grid.ts';
import { getColorClass, renderInk } from '../glyph/render-glyph.ts';
import { html, type Markup } from '../shared/html.ts';
import type { GenerationGroup } from './generations.ts';

const ROWS = 2;

/**
 * Renders two rows of glyphs, the pictures of records. Narrow screens show them at the
 * top, because the wall with the glyphs of all records is further down.
 */
export function renderFrieze(
  groups: readonly GenerationGroup[],
  columns = 15,
): Markup {
  const records = groups.flatMap((group) => group.records);
  const count = Math.min(columns * ROWS, records.length);
  const glyphs: Markup[] = [];
  for (let cell = 0; cell < count; cell++) {
    // The positions are evenly distributed, so that every generation has some records.
    const position = Math.floor((cell * records.length) / count);
    const record = records[position];
    if (!record) continue;
    const glyph = drawGlyph(record.kind, record.slug);
    const paths = traceInGrid(glyph, cell, columns);
    glyphs.push(
      html`<g class="${getColorClass(record.generation)}">${renderInk(paths)}</g>`,
    );
  }
  return html`<svg class="glyphs" viewBox="0 0 ${columns * CELL_UNITS} ${ROWS * CELL_UNITS}" shape-rendering="crispEdges">${glyphs}</svg>`;
}
