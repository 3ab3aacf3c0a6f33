/** The chart: records per generation, as a table that can be read without seeing its bars. */

import { type Kind, kindNames, mapKinds } from '../kinds.ts';
import type { SearchIndex } from '../search.ts';
import { html, type Markup } from './markup.ts';
import { groupDigits } from './numbers.ts';

/** Generation → how many records of each kind it has. */
export type GenerationCounts = ReadonlyMap<number | null, Readonly<Record<Kind, number>>>;

/** Rising generations; last, where there are any, the records of which none is known. */
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

/** Its width is a share of the cell's; a style sheet of the page gives it its colour. */
const bar = (kind: Kind, share: number): Markup =>
  html`<svg class="${kind}" aria-hidden="true" focusable="false"><rect width="${(share * 100).toFixed(1)}%" height="100%" rx="2"></rect></svg>`;
