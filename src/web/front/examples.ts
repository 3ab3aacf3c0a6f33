import { kindNames } from '../../contract/kinds.ts';
import { type LinkBase, recordPath, recordUrl } from '../../contract/paths.ts';
import { addUrl } from '../../data/api-values.ts';
import type { Records } from '../../data/data-set.ts';
import { createSearchEntry } from '../../data/search-entry.ts';
import { renderExchange } from '../exchange/render-exchange.ts';
import { type ResultRow, renderResult } from '../search/render-result.ts';
import { html, type Markup } from '../shared/html.ts';
import { getPageLink, type LinkedSite, renderApiLink } from '../shared/markup.ts';

/** Well-known records. If one of them is missing, another record takes its place. */
const preferredSlugs: readonly string[] = [
  'potion',
  'fire-punch',
  'rare-candy',
  'surf',
];

/** Chooses the records that the front page shows before the user searches. */
export function chooseExamples(records: Records): ResultRow[] {
  const rows: ResultRow[] = [];
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      rows.push({ kind, ...createSearchEntry(record) });
    }
  }
  const rank = ({ slug }: ResultRow): number => {
    const position = preferredSlugs.indexOf(slug);
    return position < 0 ? preferredSlugs.length : position;
  };
  // The sort is stable, so other records keep their order.
  return rows.sort((a, b) => rank(a) - rank(b)).slice(0, preferredSlugs.length);
}

/** Renders the examples as links in the form of search results. */
export function renderExamples(
  examples: readonly ResultRow[],
  site: LinkedSite,
): Markup[] {
  const place = { root: '', links: site.links };
  return examples.map((row) => {
    const path = recordPath(row.kind, row.slug);
    return renderApiLink(place, path, renderResult(row));
  });
}

/** Renders the request for the first example, and its response. */
export function renderExample(
  [example]: readonly ResultRow[],
  records: Records,
  linkBase: LinkBase,
): Markup {
  const record =
    example && records[example.kind].find(({ slug }) => slug === example.slug);
  if (!example || !record) return html`<p class="problem">There are no records.</p>`;
  const { kind, name } = example;
  const url = recordUrl(linkBase, kind, record.slug);
  const json = addUrl(linkBase, kind, record);
  const place = { root: '', links: linkBase.links };
  const pageLink = getPageLink(place, recordPath(kind, record.slug));
  // In the JSON, only the record's own URL becomes a link.
  const findLink = (token: string): string | undefined =>
    token === JSON.stringify(url) ? pageLink : undefined;
  const exchange = {
    subject: example,
    name,
    // Programs do not need the query, which only chooses the format.
    url: url.replace(/\?.*/, ''),
    status: 200,
    bytes: new TextEncoder().encode(JSON.stringify(json)).length,
    json,
  };
  return renderExchange(exchange, findLink);
}
