/** Regular expressions that the configurations of web servers share. PCRE and Go's RE2 read them alike. */

import { pageFile } from '../contract/addresses.ts';
import type { RouteTable } from '../contract/routes.ts';

/** The parameters that choose a page. */
export type Parameter = 'format' | 'limit' | 'offset';

/**
 * Finds a parameter in a query as it was sent; its last value is captured, as the last of repeated ones counts. Servers'
 * own look-up of parameters ignores case, does not decode names, takes the first value or joins them all.
 */
export const lastValue = (parameter: Parameter): string =>
  `^(?:.*&)?${inAnyEncoding(parameter)}(?:=([^&]*))?(?:&|$)`;

/** Each letter as it is or percent-encoded: clients may write `o%66fset`. */
const inAnyEncoding = (name: string): string =>
  [...name].map((letter) => `(?:${letter}|%${hexadecimal(letter.charCodeAt(0))})`).join('');

const hexadecimal = (code: number): string =>
  code.toString(16).replace(/[a-f]/, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** What an `Accept` header says. It is one member of the list that matters, with or without parameters. */
const member = (range: string, parameters: string): string =>
  `(?i)(?:^|,)\\s*${range}\\s*(?:${parameters}|$)`;

export const accepts = {
  json: member('(?:\\*/\\*|application/(?:\\*|json))', '[,;]'),
  html: member('text/(?:\\*|html)', '[,;]'),
} as const;

/** Named without a quality below 1. Browsers name HTML so; who names JSON so gets it all the same. */
export const prefers = {
  json: member('application/json', ','),
  html: member('text/html', ','),
} as const;

/** The format that is JSON for everybody; the other ones are pages for browsers. */
export const JSON_FORMAT = 'json';

/** The browsable page, one file for every address. */
export const PAGE_FILE = 'browse.html';

/** What the file behind an address is called. */
export const INDEX_FILE = 'index.json';

/** The folder of a built page inside that of its list, such as `offset/100/`. */
export function pageFolder({ lists }: RouteTable, offset: string): string {
  const [list] = lists;
  if (!list) return '';
  return pageFile(list.kind, 1)
    .slice(list.path.length - 1, -INDEX_FILE.length)
    .replace('1', () => offset);
}

/** Paths of the API, without anchors. */
export interface PathPatterns {
  readonly list: string;
  readonly record: string;
  /** An endpoint whose final slash is missing, as it is sent. */
  readonly slashless: string;
  /** What belongs to hosts is no part of the site: it begins with a dot or with `_`. */
  readonly hidden: string;
  /** A picture behind the pictures' path. */
  readonly picture: string;
}

export function pathPatterns({ prefix, lists }: RouteTable): PathPatterns {
  const kinds = `(?:${lists.map(({ kind }) => kind).join('|')})`;
  return {
    list: `${prefix}${kinds}/`,
    record: `${prefix}${kinds}/[a-z0-9-]+/`,
    slashless: `${prefix.slice(0, -1)}(?:/${kinds}(?:/[^/.?]+)?)?`,
    hidden: '/[._]',
    picture: '(?:\\w[\\w-]*/)*\\w[\\w-]*(?:\\.\\w[\\w-]*)+',
  };
}

/** Values of a page's offset that are written as links write them. */
export const OFFSET = '[1-9][0-9]*';
