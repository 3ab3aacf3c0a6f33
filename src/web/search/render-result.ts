import type { Kind } from '../../contract/kinds.ts';
import { renderGlyph } from '../glyph/render-glyph.ts';
import { html, type Markup } from '../shared/html.ts';

/** A record in a list of results. */
export interface ResultRow {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly generation: number | null;
  readonly icon?: string | undefined;
  /** The record's name in the selected language. */
  readonly local?: string | undefined;
  /** The language of the local name. */
  readonly language?: string | undefined;
  /** The text to underline in the names. */
  readonly query?: string | undefined;
}

/** Renders the contents of a result: picture, name, kind, id and generation. */
export function renderResult(row: ResultRow): Markup {
  const { kind, id, icon = '' } = row;
  return html`<span class="picture" data-icon="${icon}">${renderGlyph(row)}</span>
<span class="names">${renderNames(row)}</span>
<span class="number">${kind} ${id}</span>
<span class="generation">${renderGeneration(row)}</span>`;
}

/** Renders the local name first, because users who chose a language know it. */
function renderNames({ name, local, language = '', query = '' }: ResultRow): Markup {
  const englishName = underline(name, query);
  if (local === undefined || local === name) return html`<b>${englishName}</b>`;
  return html`<b lang="${language}" dir="auto">${underline(local, query)}</b> <small>${englishName}</small>`;
}

/** Underlines the query in a name if the name contains it literally, ignoring case. */
function underline(name: string, query: string): Markup | string {
  const typed = query.trim();
  const start = name.toLowerCase().indexOf(typed.toLowerCase());
  if (typed === '' || start < 0) return name;
  const end = start + typed.length;
  return html`${name.slice(0, start)}<mark>${name.slice(start, end)}</mark>${name.slice(end)}`;
}

/**
 * Renders `gen 3`. For an item, this is not the generation that introduced it, so
 * screen readers get a longer text.
 */
function renderGeneration({ kind, generation }: ResultRow): Markup | string {
  if (generation === null) return '';
  if (kind === 'move') return `gen ${generation}`;
  return html`<span class="spoken">first index number in </span>gen ${generation}`;
}
