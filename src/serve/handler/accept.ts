/** Content negotiation: the browsable page for browsers, JSON for programs. */

import type { Format } from './plain-request.ts';

export type Representation = 'json' | 'html';

/** A range of an `Accept` header, such as `text/*;q=0.8`. */
interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

/**
 * A client that prefers `text/html`, as browsers do, gets the page; any other that accepts JSON gets JSON. `format=json`
 * is always JSON. Undefined if neither is acceptable.
 */
export function negotiate(format: Format, accept: string | null): Representation | undefined {
  if (format === 'json') return 'json';
  const ranges = (accept ?? '*/*').split(',').map(parseRange);
  const json = best(ranges, 'application', 'json');
  const html = best(ranges, 'text', 'html');
  if (html && (!json || prefers(html, json))) return 'html';
  return json && 'json';
}

/** An invalid range has no type, and includes nothing. */
function parseRange(text: string): MediaRange {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, type = '', subtype = ''] = /^([^\s/]+)\/([^\s/]+)$/.exec(name) ?? [];
  const quality = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
  return { type, subtype, quality: Number.isFinite(quality) ? quality : 0 };
}

const specificity = ({ type, subtype }: MediaRange): number => (type === '*' ? 0 : subtype === '*' ? 1 : 2);

/** The most specific range that includes a media type. */
const best = (ranges: readonly MediaRange[], type: string, subtype: string): MediaRange | undefined =>
  ranges
    .filter((range) => [type, '*'].includes(range.type) && [subtype, '*'].includes(range.subtype))
    .sort((a, b) => specificity(b) - specificity(a))[0];

/** Quality decides; if equal, the more specific range. */
function prefers(html: MediaRange, json: MediaRange): boolean {
  if (html.quality !== json.quality) return html.quality > json.quality;
  return specificity(html) > specificity(json);
}
