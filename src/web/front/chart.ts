/** The chart: records per generation, as a table that is readable without its bars. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { groupDigits } from '../../contract/words.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { html, type Markup } from '../shared/markup.ts';

/** Generation → the number of its records of each kind. */
export type GenerationCounts = ReadonlyMap<number | null, Readonly<Record<Kind, number>>>;

/** In ascending order; records without a generation come last. */
export function countGenerations(index: SearchIndex): GenerationCounts {
  const counts = new Map<number | null, Record<Kind, number>>();
  for (const kind of kindNames) {
    for (const generation of index[kind].generation) {
      const row = counts.get(generation) ?? mapKinds(() => 0);
      row[kind]++;
      counts.set(generation, row);
    }
  }
  return new Map([...counts].sort(([a], [b]) => (a ?? Infinity) - (b ?? Infinity)));
}

export function generationRows(counts: GenerationCounts): Markup[] {
  const most = Math.max(1, ...[...counts.values()].flatMap((row) => Object.values(row)));
  return [...counts].map(
    ([generation, row]) =>
      html`<tr><th scope="row">${generation ?? 'none'}</th>${kindNames.map(
        (kind) => html`<td>${bar(kind, row[kind] / most)}${groupDigits(row[kind])}</td>`,
      )}</tr>`,
  );
}

/** The width is relative to the cell; the style sheet sets the color. */
const bar = (kind: Kind, share: number): Markup =>
  html`<svg class="${kind}" aria-hidden="true" focusable="false"><rect width="${(share * 100).toFixed(1)}%" height="100%" rx="2"></rect></svg>`;
