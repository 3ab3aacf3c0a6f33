/**
 * The wall of glyphs: a stripe for each generation, with a cell for each record. The
 * width of a stripe corresponds to its number of records, so the wall is also a chart.
 * On narrow screens, the stripes become horizontal bands, one below the other.
 */

import type { Kind } from '../../contract/kinds.ts';
import { nameGeneration } from '../../data/find-generation.ts';
import { drawGlyph, type Glyph } from '../glyph/draw-glyph.ts';
import { CELL_UNITS, traceInGrid } from '../glyph/glyph-grid.ts';
import { type GlyphPaths, renderInk } from '../glyph/render-glyph.ts';
import type { Match } from '../search/search-engine.ts';
import { element, getRecordLinkAttributes, setContent } from '../shared/dom.ts';
import { html } from '../shared/html.ts';
import { watchIcons } from '../shared/icon-loader.ts';
import { shareColumns } from './share-columns.ts';

/**
 * The size of a cell in `rem`, which is that of the squares in the page's background.
 */
const CELL_REM = 1.5;
/** Wide screens show the stripes side by side. `style.css` has the same condition. */
const wideScreen = matchMedia('(min-width: 48em)');
/** The number of empty columns beside a band on narrow screens. */
const MARGIN_COLUMNS = 1;
/** The number of rows that a stripe's label needs. */
const LABEL_ROWS = 2;
/** The maximum number of rows of matches at the top of a stripe. */
const MATCH_ROWS = 6;

export interface Wall {
  /** Draws the cells of all records. */
  readonly draw: (records: readonly Match[]) => void;
  /**
   * Raises the matches to the top of their stripes, or lowers them again if undefined.
   */
  readonly raise: (matches: readonly Match[] | undefined) => void;
}

/** One generation's part of the wall. The build renders its label. */
interface Stripe {
  readonly item: HTMLElement;
  readonly count: HTMLElement;
  /** The generation as text, or `none`. */
  readonly generation: string;
  readonly size: number;
  columns: number;
  cells: HTMLElement | undefined;
  raised: HTMLElement | undefined;
}

/**
 * Creates the wall in the list of stripes that the build has rendered. First reserves
 * space for all stripes, so that the layout does not shift when the wall is drawn. The
 * returned functions draw the cells, and raise the matches of a search to the top. All
 * of this is repeated when the window's width changes, because the number of columns
 * depends on it.
 */
export function createWall(list: HTMLElement): Wall {
  const stripes = Array.from(list.querySelectorAll('li'), createStripe);
  let records: readonly Match[] = [];
  let raisedMatches: readonly Match[] | undefined;

  function draw(allRecords: readonly Match[]): void {
    records = allRecords;
    for (const stripe of stripes) {
      // Each stripe is drawn in its own task, so that the page stays responsive.
      setTimeout(() => drawStripe(stripe, records));
    }
  }

  function raise(matches: readonly Match[] | undefined): void {
    raisedMatches = matches;
    for (const stripe of stripes) raiseMatches(stripe, matches);
  }

  watchWindowWidth(() => {
    reserveSpace(stripes);
    list.classList.add('ready');
    if (records.length > 0) draw(records);
    raise(raisedMatches);
  });
  list.addEventListener('keydown', (event) => moveFocus(list, event));
  return { draw, raise };
}

/** Calls a function when the page is laid out, and each time its width has changed. */
function watchWindowWidth(onWidth: () => void): void {
  let lastWidth = 0;
  const observer = new ResizeObserver(() => {
    const width = document.documentElement.clientWidth;
    // The page's height changes often, but does not affect the columns.
    if (width === lastWidth) return;
    lastWidth = width;
    onWidth();
  });
  observer.observe(document.documentElement);
}

/**
 * Sets the number of columns and the size of each stripe before its cells are drawn.
 */
function reserveSpace(stripes: readonly Stripe[]): void {
  const shares = chooseColumns(stripes);
  for (const [index, stripe] of stripes.entries()) {
    stripe.columns = shares[index] ?? stripe.columns;
    const rows = Math.ceil(stripe.size / stripe.columns);
    stripe.item.style.width = `${stripe.columns * CELL_REM}rem`;
    stripe.item.style.minHeight = `${(rows + LABEL_ROWS) * CELL_REM}rem`;
  }
}

/**
 * Returns the number of columns of each stripe. On wide screens, the stripes share the
 * window's columns. On narrow screens, each stripe gets almost all of them.
 */
function chooseColumns(stripes: readonly Stripe[]): number[] {
  const windowColumns = countWindowColumns();
  const sizes = stripes.map(({ size }) => size);
  if (wideScreen.matches) return shareColumns(sizes, windowColumns);
  return sizes.map(() => windowColumns - MARGIN_COLUMNS);
}

/** Returns the number of cells that fit side by side in the window. */
function countWindowColumns(): number {
  const root = document.documentElement;
  const remPixels = Number.parseFloat(getComputedStyle(root).fontSize);
  const cellPixels = CELL_REM * remPixels;
  return Math.floor(root.clientWidth / cellPixels);
}

/** Reads a stripe that the build has rendered. Its cells are drawn later. */
function createStripe(item: HTMLElement): Stripe {
  const { generation = '', size = '0' } = item.dataset;
  const count = item.querySelector<HTMLElement>('.count') ?? item;
  return {
    item,
    count,
    generation,
    size: Number(size),
    columns: 1,
    cells: undefined,
    raised: undefined,
  };
}

const isInStripe = ({ generation }: Match, stripe: Stripe): boolean =>
  nameGeneration(generation) === stripe.generation;

function drawStripe(stripe: Stripe, records: readonly Match[]): void {
  const cells = createCells(
    records.filter((record) => isInStripe(record, stripe)),
    stripe.columns,
  );
  if (stripe.cells) stripe.cells.replaceWith(cells);
  else stripe.item.append(cells);
  stripe.cells = cells;
  // Only the wall's first cell is a tab stop. Arrow keys reach the others.
  const isFirst = stripe.item.previousElementSibling === null;
  if (isFirst) cells.querySelector('a')?.setAttribute('tabindex', '0');
  watchIcons(cells);
}

/**
 * Creates the records' cells: one picture of all glyphs, and a link on top of each
 * glyph.
 */
function createCells(records: readonly Match[], columns: number): HTMLElement {
  const rows = Math.ceil(records.length / columns);
  const width = columns * CELL_UNITS;
  const height = rows * CELL_UNITS;
  const paths = traceCells(records, columns);
  const cells = element('div', { class: 'cells' });
  cells.style.height = `${rows * CELL_REM}rem`;
  setContent(
    cells,
    html`<svg class="glyph" viewBox="0 0 ${width} ${height}" shape-rendering="crispEdges" aria-hidden="true">${renderInk(paths)}</svg>`,
  );
  cells.append(...records.map(createCell));
  return cells;
}

function traceCells(records: readonly Match[], columns: number): GlyphPaths {
  const paths = { ink: '', shade: '' };
  for (const [index, { kind, slug }] of records.entries()) {
    const glyph = traceInGrid(getGlyph(kind, slug), index, columns);
    paths.ink += glyph.ink;
    paths.shade += glyph.shade;
  }
  return paths;
}

/** Caches the glyphs, because each keystroke in the search draws many of them again. */
const glyphs = new Map<string, Glyph>();

function getGlyph(kind: Kind, slug: string): Glyph {
  const key = `${kind}/${slug}`;
  const knownGlyph = glyphs.get(key);
  if (knownGlyph) return knownGlyph;
  const glyph = drawGlyph(kind, slug);
  glyphs.set(key, glyph);
  return glyph;
}

function createCell({ kind, slug, name, icon }: Match): HTMLElement {
  return element('a', {
    ...getRecordLinkAttributes(kind, slug),
    title: `${name} (${kind})`,
    'data-icon': icon,
    tabindex: -1,
  });
}

/**
 * Shows the matches of a search in a stripe, or the unchanged stripe if there is no
 * search. To show matches, fades the whole stripe and covers its top with copies of the
 * matching cells, because changing every cell would be slower.
 */
function raiseMatches(stripe: Stripe, matches: readonly Match[] | undefined): void {
  stripe.raised?.remove();
  stripe.item.classList.toggle('faded', matches !== undefined);
  if (!matches) {
    stripe.count.textContent = String(stripe.size);
    return;
  }
  const raised = matches.filter((match) => isInStripe(match, stripe));
  stripe.count.textContent = `${raised.length} of ${stripe.size}`;
  const visible = raised.slice(0, stripe.columns * MATCH_ROWS);
  if (visible.length === 0) return;
  stripe.raised = createCells(visible, stripe.columns);
  stripe.raised.classList.add('raised');
  stripe.item.append(stripe.raised);
}

/** Moves the focus between cells. The up and down keys stay in the same column. */
function moveFocus(list: HTMLElement, event: KeyboardEvent): void {
  const cell = event.target;
  if (!(cell instanceof HTMLAnchorElement) || !cell.closest('.cells')) return;
  const cells = [...list.querySelectorAll<HTMLAnchorElement>('.cells a')];
  const width = cell.closest<HTMLElement>('.cells')?.clientWidth ?? 0;
  const columns = Math.max(1, Math.round(width / cell.offsetWidth));
  const position = cells.indexOf(cell);
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: position - 1,
    ArrowRight: position + 1,
    ArrowUp: position - columns,
    ArrowDown: position + columns,
    Home: 0,
    End: cells.length - 1,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  const next = cells[target];
  if (!next) return;
  // The focused cell is the only one that the Tab key reaches.
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
