/** Requests and responses as plain data: a `Request` would normalize the path, and our own server knows it as sent. */

import { JAVA_ACCEPT } from '../../contract/headers.ts';
import { type Integer, narrow, PAGE_SIZE, type Window } from '../../contract/windows.ts';

/** What a response depends on. */
export interface PlainRequest {
  readonly method: string;
  /** As it was sent: neither decoded nor normalized. Starts with a slash. */
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === 'GET' || method === 'HEAD';

/** `other` stands for any invalid format. */
export type Format = 'api' | 'json' | 'other' | undefined;

export function readFormat(query: URLSearchParams): Format {
  const format = query.getAll('format').at(-1);
  if (format === undefined || format === '') return undefined;
  return format === 'api' || format === 'json' ? format : 'other';
}

/** An invalid limit counts as the page size, an invalid offset as 0. */
export function readWindow(query: URLSearchParams): Window {
  const limit = readInteger(query, 'limit');
  const offset = readInteger(query, 'offset');
  return { limit: limit > 0 ? limit : PAGE_SIZE, offset: offset > 0 ? offset : 0 };
}

/** An optional sign and digits, as many as the reference framework takes; anything else is 0. */
function readInteger(query: URLSearchParams, name: string): Integer {
  const text = query.getAll(name).at(-1) ?? '';
  return /^[+-]?\d{1,4300}$/.test(text) ? narrow(BigInt(text)) : 0;
}

export type Representation = 'json' | 'html';

/** A range of an `Accept` header, such as `text/*;q=0.8`. */
type MediaRange = ReturnType<typeof parseRange>;

/**
 * A client that prefers `text/html`, as browsers do, gets the page; any other that accepts JSON gets JSON. `format=json`
 * is always JSON. Undefined if neither is acceptable.
 */
export function negotiate(format: Format, accept: string | null): Representation | undefined {
  if (format === 'json' || (accept !== null && new RegExp(JAVA_ACCEPT).test(accept))) return 'json';
  const ranges = (accept ?? '*/*').split(',').map(parseRange);
  const json = best(ranges, 'application', 'json');
  const html = best(ranges, 'text', 'html');
  if (html && (!json || prefers(html, json))) return 'html';
  return json && 'json';
}

/** An invalid range has no type, and includes nothing. */
function parseRange(text: string) {
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
