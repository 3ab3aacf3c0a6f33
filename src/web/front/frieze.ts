import { drawGlyph } from '../glyph/draw-glyph.ts';
import { CELL_UNITS, traceInGrid } from '../glyph/glyph-grid.ts';
import { getColorClass, renderInk } from '../glyph/render-glyph.ts';
import { html, type Markup } from '../shared/html.ts';
import type { GenerationGroup } from './generations.ts';

const ROWS = 2;

/**
 * Renders two rows of glyphs for narrow screens, on which the wall is below the first
 * screen. The records are evenly distributed over all generations.
 */
export function renderFrieze(
  groups: readonly GenerationGroup[],
  columns = 15,
): Markup {
  const records = groups.flatMap((group) => group.records);
  const count = Math.min(columns * ROWS, records.length);
  const glyphs: Markup[] = [];
  for (let cell = 0; cell < count; cell++) {
    const record = records[Math.floor((cell * records.length) / count)];
    if (!record) continue;
    const glyph = drawGlyph(record.kind, record.slug);
    const paths = traceInGrid(glyph, cell, columns);
    glyphs.push(
      html`<g class="${getColorClass(record.generation)}">${renderInk(paths)}</g>`,
    );
  }
  return html`<svg class="glyphs" viewBox="0 0 ${columns * CELL_UNITS} ${ROWS * CELL_UNITS}" shape-rendering="crispEdges">${glyphs}</svg>`;
}
