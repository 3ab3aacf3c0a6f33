import type { Kind } from '../../contract/kinds.ts';
import { html, type Markup } from '../shared/html.ts';
import { drawGlyph, type Glyph } from './draw-glyph.ts';
import { tracePixels } from './trace-pixels.ts';

/** The record whose glyph is rendered. */
export interface GlyphSubject {
  readonly kind: Kind;
  readonly slug: string;
  /** Null for an item without index numbers. */
  readonly generation: number | null;
}

/** The number of colors in `style.css`. Later generations reuse them. */
const COLORS = 9;

/** Returns the CSS class with a generation's color: `g1` to `g9`, or `g0` for null. */
export function getColorClass(generation: number | null): string {
  if (generation === null) return 'g0';
  return `g${((generation - 1) % COLORS) + 1}`;
}

/** Renders a record's glyph, which is hidden from screen readers. */
export function renderGlyph({ kind, slug, generation }: GlyphSubject): Markup {
  const glyph = drawGlyph(kind, slug);
  return html`<svg class="glyph ${getColorClass(generation)}" viewBox="0 0 8 8" shape-rendering="crispEdges" aria-hidden="true">${renderInk(traceGlyph(glyph))}</svg>`;
}

/** The outlines of a glyph's pixels, as path data. */
export interface GlyphPaths {
  readonly ink: string;
  readonly shade: string;
}

export const renderInk = ({ ink, shade }: GlyphPaths): Markup =>
  html`<path d="${ink}"/><path class="shade" d="${shade}"/>`;

/** Traces a glyph whose top left corner is at the given position. */
export function traceGlyph(glyph: Glyph, left = 0, top = 0): GlyphPaths {
  return {
    ink: tracePixels(glyph, /#+/g, left, top),
    shade: tracePixels(glyph, /\++/g, left, top),
  };
}
