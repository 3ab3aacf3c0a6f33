import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { listPath } from '../../contract/paths.ts';
import { formatCount, joinWords } from '../../contract/words.ts';
import type { Records } from '../../data/data-set.ts';
import { findFirstGeneration, nameGeneration } from '../../data/find-generation.ts';
import { type GlyphSubject, getColorClass } from '../glyph/render-glyph.ts';
import { html, type Markup } from '../shared/html.ts';
import { type LinkedSite, renderApiLink } from '../shared/markup.ts';

/** The records of one generation: moves, and items by their first index number. */
export interface GenerationGroup {
  /** Null for items without index numbers, which come last. */
  readonly generation: number | null;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly records: readonly GlyphSubject[];
}

export function groupByGeneration(records: Records): GenerationGroup[] {
  const groups = new Map<number | null, GlyphSubject[]>();
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      const generation = findFirstGeneration(record);
      const group = groups.get(generation) ?? [];
      group.push({ kind, slug: record.slug, generation });
      groups.set(generation, group);
    }
  }
  // Items without a generation come last.
  const sortedGroups = [...groups].sort(
    ([a], [b]) => (a ?? Infinity) - (b ?? Infinity),
  );
  return sortedGroups.map(([generation, members]) => ({
    generation,
    counts: mapKinds(
      (kind) => members.filter((member) => member.kind === kind).length,
    ),
    records: members,
  }));
}

/**
 * Renders the label of each stripe, which is the part of the front page's chart for the
 * records of one generation. The page's script draws a cell for each record below it.
 */
export function renderStripes(
  groups: readonly GenerationGroup[],
  site: LinkedSite,
): Markup[] {
  return groups.map((group, index) => {
    const value = nameGeneration(group.generation);
    const size = group.records.length;
    const parts = kindNames.map((kind) => formatCount(group.counts[kind], kind));
    const isFirst = index === 0;
    const label = html`<b>${formatLabel(group.generation, isFirst)}</b> <span class="count" title="${joinWords(parts)}">${size}</span>`;
    // A list page selects the generation in its URL's fragment.
    const path = `${listPath(chooseKind(group))}#generation=${value}`;
    const link = renderApiLink({ root: '', links: site.links }, path, label);
    return html`<li class="stripe ${getColorClass(group.generation)}" data-generation="${value}" data-size="${size}">${link}</li>`;
  });
}

/** Stripes are narrow, so only the first label contains the word. */
function formatLabel(generation: number | null, isFirst: boolean): string {
  if (generation === null) return 'none';
  return isFirst ? `gen ${generation}` : String(generation);
}

/** Chooses the list that a stripe's label links to: the first kind with records. */
const chooseKind = ({ counts }: GenerationGroup): Kind =>
  kindNames.find((kind) => counts[kind] > 0) ?? kindNames[0];

/** Renders the table of counts for screen readers. */
export function renderCounts(groups: readonly GenerationGroup[]): Markup[] {
  return groups.map(({ generation, counts }) => {
    const cells = kindNames.map((kind) => html`<td>${counts[kind]}</td>`);
    const label = generation ?? 'No index number';
    return html`<tr><th scope="row">${label}</th>${cells}</tr>`;
  });
}

/** Renders the options of the generation field in the search form. */
export function renderGenerationOptions(
  groups: readonly GenerationGroup[],
): Markup[] {
  return groups.map(({ generation }) => {
    const label =
      generation === null ? 'No index number' : `Generation ${generation}`;
    return html`<option value="${nameGeneration(generation)}">${label}</option>`;
  });
}
