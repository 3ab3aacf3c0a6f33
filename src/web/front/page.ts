/** The front page: a hand-written template, filled with the facts of a site. */

import { describeEdition } from '../../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { linkBaseOf, type Meta } from '../../contract/meta.ts';
import { type LinkBase, listPath, recordUrl } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { counted, groupDigits, pluralTitle } from '../../contract/words.ts';
import type { EncodedRecords } from '../../dataset/data-set.ts';
import { servedText } from '../../dataset/encode.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { apiLink, framed } from '../shared/frame.ts';
import { fillPlaceholders, html, type Markup, nothing } from '../shared/markup.ts';
import { descriptionRows, downloadRows, type Sizes } from './file-tables.ts';

export interface FrontPageContent {
  readonly records: EncodedRecords;
  readonly generations: GenerationCounts;
  /** The search box. */
  readonly search: Markup;
  readonly meta: Meta;
  /** Every file of the site but the pages. */
  readonly sizes: Sizes;
  /** Files that contain the page, and are therefore made after it. */
  readonly archives: readonly string[];
}

export function fillFrontPage(
  template: string,
  { records, generations, search, meta, sizes, archives }: FrontPageContent,
): string {
  const summary = kindNames.map((kind) => counted(meta.counts[kind], kind)).join(' and ');
  const frame = {
    title: 'gamedata: moves and items as JSON',
    description: `A read-only JSON API of ${summary} from a series of creature-collecting games, served as static files.`,
    root: '',
    path: '/',
    script: 'front.js',
  };
  return fillPlaceholders(template, {
    ...framed(frame, meta),
    summary,
    search,
    example: example(linkBaseOf(meta), records),
    lists: html`${kindNames.map(
      (kind) => html`<li>${apiLink({ root: '', links: meta.links }, listPath(kind), pluralTitle(kind))}
<span>${counted(meta.counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`,
    )}`,
    columns: html`${kindNames.map((kind) => html`<th scope="col">${pluralTitle(kind)}</th>`)}`,
    chart: html`${generationRows(generations)}`,
    captured: meta.captured,
    upstream: upstream(meta.upstream),
    edition: meta.edition
      ? html`, <span title="${meta.edition.hash}">${describeEdition(meta.edition)}</span>`
      : nothing,
    fallback: meta.fallback === null ? nothing : html`<p class="note">${meta.fallback}</p>`,
    downloads: downloads(downloadRows(sizes, archives)),
    descriptions: html`${descriptionRows(sizes)}`,
  });
}

/** A first request, and its exact response. */
function example(linkBase: LinkBase, records: EncodedRecords): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There are no records.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl '${recordUrl(linkBase, kind, record.slug)}'</span>
<span id="answer">${servedText(linkBase, kind, record)}</span></code></pre>`;
}

/** The upstream may be a label instead of a URL. */
const upstream = (name: string): Markup =>
  /^https?:\/\//.test(name) ? html`<a href="${name}" rel="noreferrer">${name}</a>` : html`${name}`;

function downloads(rows: readonly Markup[]): Markup {
  if (rows.length === 0) return html`<p>This site has no bulk files.</p>`;
  return html`<p>Everything in one request.</p>
<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Content</th><th scope="col">Size</th><th scope="col">gzip</th><th scope="col">Brotli</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

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
