/** Which requests a host's own rules answer right, so that no code has to. */

import { PAGE_SIZE } from '../contract/windows.ts';
import { negotiate } from './accept.ts';
import { isRead, readFormat } from './query.ts';
import { resolveTarget } from './target.ts';

/**
 * Whether a program reads a record, or a page that is built if the list is long enough, in plain words: nothing is
 * repeated, encoded, unknown or out of the ordinary. When in doubt it says no.
 */
export function asksForBuilt(request: Request): boolean {
  const { pathname, search, searchParams } = new URL(request.url);
  // Rules compare what was sent: one that does not decode it would not know an encoded name.
  const isPlain = /^(?:\/[\w-]+)+\/$/.test(pathname) && /^[?\w=&]*$/.test(search);
  if (!isRead(request) || !isPlain) return false;
  const target = resolveTarget(pathname);
  if (!('name' in target)) return false;
  const format = readFormat(searchParams);
  const { representation, indent } = negotiate(format, request.headers.get('Accept'));
  if (format === 'other' || representation !== 'json' || indent > 0) return false;
  const names = target.type === 'list' ? ['format', 'limit', 'offset'] : ['format'];
  const given = [...searchParams];
  return (
    given.length === new Set(searchParams.keys()).size &&
    given.every(([name, value]) => names.includes(name) && builtValues[name]?.test(value))
  );
}

/** The values that rules know; an offset may still be past the end of its list. */
const builtValues: Readonly<Record<string, RegExp>> = {
  format: /^(?:api|json)$/,
  limit: new RegExp(`^${PAGE_SIZE}$`),
  offset: /^(?:0|[1-9]\d*00)$/,
};
