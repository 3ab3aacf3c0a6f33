/** Content negotiation: the browsable page for browsers, JSON for programs. */

import type { Format } from './query.ts';

export type Representation = 'json' | 'html';

/** A range of an `Accept` header, such as `text/*;q=0.8`. */
interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** The indentation of JSON: a parameter of the reference framework. */
  readonly indent: number;
}

export interface Negotiated {
  /** Undefined if neither is acceptable. */
  readonly representation: Representation | undefined;
  readonly indent: number;
}

/**
 * A client that prefers `text/html`, as browsers do, gets the page; any other that accepts JSON gets JSON. `format=json`
 * is always JSON.
 */
export function negotiate(format: Format, accept: string | null): Negotiated {
  const ranges = accept === null ? [anything] : parseAccept(accept);
  const json = best(ranges, 'application', 'json');
  const html = best(ranges, 'text', 'html');
  const indent = json?.indent ?? 0;
  if (format === 'json') return { representation: 'json', indent };
  if (html && (!json || prefers(html, json))) return { representation: 'html', indent };
  return { representation: json && 'json', indent };
}

const anything: MediaRange = { type: '*', subtype: '*', quality: 1, indent: 0 };

/** Invalid ranges have no type, and include nothing. */
function parseAccept(accept: string): MediaRange[] {
  return accept.split(',').map((text) => {
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const [, type = '', subtype = ''] = /^([^\s/]+)\/([^\s/]+)$/.exec(name) ?? [];
    const parameter = (key: string): string | undefined =>
      parameters.find((part) => part.startsWith(`${key}=`))?.slice(key.length + 1);
    const quality = Number(parameter('q') ?? 1);
    const indent = Number(parameter('indent') ?? 0);
    return {
      type,
      subtype,
      quality: Number.isFinite(quality) ? quality : 0,
      indent: Number.isInteger(indent) ? Math.min(8, Math.max(0, indent)) : 0,
    };
  });
}

const specificity = ({ type, subtype }: MediaRange): number => (type === '*' ? 0 : subtype === '*' ? 1 : 2);

/** The most specific range that includes a media type. */
function best(ranges: readonly MediaRange[], type: string, subtype: string): MediaRange | undefined {
  return ranges
    .filter((range) => [type, '*'].includes(range.type) && [subtype, '*'].includes(range.subtype))
    .sort((a, b) => specificity(b) - specificity(a))[0];
}

/** Quality decides; if equal, the more specific range. */
function prefers(html: MediaRange, json: MediaRange): boolean {
  if (html.quality !== json.quality) return html.quality > json.quality;
  return specificity(html) > specificity(json);
}
