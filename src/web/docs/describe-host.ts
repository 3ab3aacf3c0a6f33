/** Describes only what all of a site's hosts do. */

import type { GuaranteeName } from '../../contract/guarantees.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import type { Markup } from '../shared/html.ts';
import { renderProse, renderRow, renderTable } from './render-fields.ts';

export type KeptGuarantees = ReadonlySet<GuaranteeName>;

/** The response headers, and the guarantee that each of them depends on. */
const headers: readonly {
  readonly name: string;
  readonly guarantee: GuaranteeName;
  readonly meaning: string;
}[] = [
  {
    name: 'ETag',
    guarantee: 'etag',
    meaning:
      'Send it as `If-None-Match` to get a 304 without a body if nothing changed. Browsers do this automatically.',
  },
  {
    name: 'Cache-Control',
    guarantee: 'caching',
    meaning: 'How long a response may be cached.',
  },
  {
    name: 'Vary',
    guarantee: 'vary',
    meaning: 'The request headers that a response depends on, such as `Accept`.',
  },
  { name: 'Allow', guarantee: 'allow', meaning: 'The allowed methods.' },
  {
    name: 'Access-Control-Allow-Origin',
    guarantee: 'cors',
    meaning: 'Scripts on every origin may read the API (CORS).',
  },
  {
    name: 'Location',
    guarantee: 'slash',
    meaning: 'The URL with its trailing slash, if a request omits the slash (301).',
  },
];

export function renderHeaders(kept: KeptGuarantees): Markup | '' {
  const rows: Markup[] = [];
  for (const { name, guarantee, meaning } of headers) {
    if (!kept.has(guarantee)) continue;
    const words = renderProse(`\`${name}\``);
    rows.push(renderRow(words, renderProse(meaning)));
  }
  if (rows.length === 0) return '';
  return renderTable(['Header', 'Meaning'], rows);
}

/**
 * Renders a table of the error statuses. Returns an empty string if the hosts send their
 * own error pages, because then we know nothing about them.
 */
export function renderErrors(kept: KeptGuarantees): Markup | '' {
  if (!kept.has('unknown')) return '';
  const rows: Markup[] = [];
  // Such hosts have only some pages of each list, and reject a request for another page.
  const rejectsPages = kept.has('no-wrong-page') && !kept.has('page-ranges');
  if (rejectsPages) {
    const meaning = 'This page of a list does not exist. Some hosts send 404.';
    rows.push(renderRow('400', meaning));
  }
  const missing = kept.has('unknown-record-format')
    ? 'The record, the path or the format does not exist.'
    : 'The record or the path does not exist.';
  rows.push(renderRow('404', missing));
  if (kept.has('method')) rows.push(renderRow('405', 'The API is read-only.'));
  return renderTable(['Status', 'Meaning'], rows);
}

/**
 * Describes the query parameters as this site's hosts treat them. The OpenAPI document,
 * in contrast, describes all hosts.
 */
export function describeQuery(
  kept: KeptGuarantees,
): Readonly<Record<'format' | 'limit' | 'offset', string>> {
  const format = describeFormat(kept);
  if (!kept.has('page-ranges')) {
    return {
      format,
      limit: `Lists only. Always ${PAGE_SIZE}.`,
      offset: `Lists only. The number of records to skip: a multiple of ${PAGE_SIZE} below \`count\`.`,
    };
  }
  return {
    format,
    limit: `Lists only. The maximum number of records on the page. An invalid value means ${PAGE_SIZE}.`,
    offset:
      'Lists only. The number of records to skip. An invalid value means 0. Beyond the end, there are no results.',
  };
}

function describeFormat(kept: KeptGuarantees): string {
  if (!kept.has('browser')) return '`api` and `json` are both JSON.';
  const values =
    '`api` is JSON for programs and a page for browsers. `json` is always JSON.';
  if (!kept.has('unknown-record-format')) return values;
  return `${values} Any other value is a 404.`;
}
