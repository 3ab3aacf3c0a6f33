/** The front page: the hand-written page filled with what is true of this site. */

import { type LinkBase, listPath, recordUrl } from '../addresses.ts';
import type { EncodedRecords } from '../data-set.ts';
import { kindNames } from '../kinds.ts';
import type { Meta } from '../meta.ts';
import type { SearchIndex } from '../search.ts';
import { servedText } from '../site.ts';
import { PAGE_SIZE } from '../windows.ts';
import { countGenerations, generationRows } from './chart.ts';
import { descriptionRows, downloadRows, type Sizes } from './file-tables.ts';
import { fillPlaces, html, type Markup, nothing } from './markup.ts';
import { groupDigits } from './numbers.ts';

export interface FrontPageContent {
  readonly records: EncodedRecords;
  readonly index: SearchIndex;
  readonly meta: Meta;
  /** The files that the page may name, without itself. */
  readonly sizes: Sizes;
  /** Files that come after the page, which they hold. */
  readonly archives: readonly string[];
}

export function fillFrontPage(
  template: string,
  { records, index, meta, sizes, archives }: FrontPageContent,
): string {
  const linkBase: LinkBase = { baseUrl: meta.base_url, links: meta.links };
  const generations = countGenerations(index);
  return fillPlaces(template, {
    links: meta.links,
    summary: kindNames.map((kind) => counted(meta.counts[kind], kind)).join(' and '),
    example: example(linkBase, records),
    kinds: html`${kindNames.map(
      (kind) => html`<option value="${kind}">${plural(kind)} (${groupDigits(meta.counts[kind])})</option>`,
    )}`,
    generations: html`${[...generations.keys()].map(
      (generation) => html`<option value="${generation ?? 'none'}">${generation ?? 'none known'}</option>`,
    )}`,
    lists: html`${kindNames.map(
      (
        kind,
      ) => html`<li><a href="${apiLink(meta.links, listPath(kind))}" data-api="${listPath(kind)}">${plural(kind)}</a>
<span>${counted(meta.counts[kind], 'record')}, ${PAGE_SIZE} on a page</span></li>`,
    )}`,
    columns: html`${kindNames.map((kind) => html`<th scope="col">${plural(kind)}</th>`)}`,
    chart: html`${generationRows(generations)}`,
    captured: meta.captured,
    upstream: upstream(meta.upstream),
    fallback: meta.fallback === null ? nothing : html`<p class="note">${meta.fallback}</p>`,
    downloads: downloads(downloadRows(sizes, archives)),
    descriptions: html`${descriptionRows(sizes)}`,
  });
}

const plural = (kind: string): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}s`;

/** `954 items`, `1 item` */
const counted = (count: number, what: string): string =>
  `${groupDigits(count)} ${what}${count === 1 ? '' : 's'}`;

/** On hosts that know only files the browsable page is asked for the address behind the hash. */
const apiLink = (links: LinkBase['links'], path: string): string =>
  links === 'file' ? `browse/#${path}` : path.slice(1);

/** A first request, and the very bytes that answer it. */
function example(linkBase: LinkBase, records: EncodedRecords): Markup {
  const kind = kindNames.find((name) => records[name].length > 0);
  const record = kind && records[kind][0];
  if (!kind || !record) return html`<p>There is no record yet.</p>`;
  return html`<pre class="terminal" tabindex="0"><code><span class="prompt">$ </span><span id="command">curl '${recordUrl(linkBase, kind, record.slug)}'</span>
<span id="answer">${servedText(linkBase, kind, record)}</span></code></pre>`;
}

/** An operator may have named the upstream in words. */
const upstream = (name: string): Markup =>
  /^https?:\/\//.test(name) ? html`<a href="${name}" rel="noreferrer">${name}</a>` : html`${name}`;

function downloads(rows: readonly Markup[]): Markup {
  if (rows.length === 0) return html`<p>This site has no bulk files.</p>`;
  return html`<p>Everything in one request.</p>
<table class="files"><thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">gzip</th><th scope="col">Brotli</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}
