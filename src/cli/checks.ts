/** Checks of what options say. */

import { API_PREFIX, PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
import { UsageError } from '../errors.ts';

/** What was given, and what was expected instead. */
export const wrong = (name: string, given: unknown, expected: string): UsageError =>
  new UsageError(`${name}: got ${JSON.stringify(given)}, expected ${expected}`);

export function oneOf<T extends string>(given: string, name: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === given);
  if (found !== undefined) return found;
  throw wrong(name, given, `one of ${known.join(', ')}`);
}

/** An http URL without credentials, query, fragment or trailing slash. */
export function address(given: string, name: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong(name, masked(given), 'an http or https URL');
  if (url.port === '0') throw wrong(name, masked(given), 'a URL with a port from 1 to 65535');
  if (url.username || url.password || /[?#]/.test(url.href))
    throw new UsageError(`${name}: got a URL with credentials, a query or a fragment, expected one without`);
  return url.href.replace(/\/+$/, '');
}

/** The same for what becomes part of host configuration, such as the base URL of a site. */
export function plainUrl(given: string, name: string): string {
  const url = address(given, name);
  if (PLAIN_URL.test(url)) return url;
  throw wrong(name, url, PLAIN_URL_RULE);
}

/** What to say, after a failure, of an address inside of a site. That of a site may look like it: a base URL may have a path. */
export function insideHints(target: string): string[] {
  const [base, inside] = `${target}/`.split(API_PREFIX);
  return inside === undefined || !base
    ? []
    : [`hint: expected the base URL of a site, such as ${masked(base)}`];
}

/** A URL as errors may show it: what precedes an @ may be a password. */
export const masked = (url: string): string => url.replace(/[^/]*@/, '…@');
