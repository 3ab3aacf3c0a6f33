/** Checks of what options say. */

import { PLAIN_URL, PLAIN_URL_RULE } from '../contract/paths.ts';
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

/** A URL as errors may show it: what precedes an @ may be a password. */
export const masked = (url: string): string => url.replace(/[^/]*@/, '…@');
