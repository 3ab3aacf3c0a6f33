/** Which requests a host's rules handle correctly, without the handler. */

import { formats } from '../../contract/routes.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { negotiate } from './accept.ts';
import { isRead, readFormat } from './plain-request.ts';
import { resolveTarget } from './target.ts';

/**
 * Whether a program requests a record, or a page that is built if the list is long enough, with nothing repeated,
 * encoded, unknown or unusual. False if in doubt.
 */
export function rulesSuffice(request: Request, base = ''): boolean {
  const { pathname, search, searchParams } = new URL(request.url);
  // Rules may compare names without decoding them.
  const isPlain = /^(?:\/[\w-]+)+\/$/.test(pathname) && /^[?\w=&]*$/.test(search);
  if (!isRead(request) || !isPlain) return false;
  const target = resolveTarget(pathname, base);
  if (!('name' in target)) return false;
  if (negotiate(readFormat(searchParams), request.headers.get('Accept')) !== 'json') return false;
  const names = target.type === 'list' ? ['format', 'limit', 'offset'] : ['format'];
  const given = [...searchParams];
  return (
    given.length === new Set(searchParams.keys()).size &&
    given.every(([name, value]) => names.includes(name) && isCovered[name]?.(value))
  );
}

/** The values that rules cover; an offset may still be beyond the end of its list. */
const isCovered: Readonly<Record<string, (value: string) => boolean>> = {
  format: (value) => formats.some((format) => format === value),
  limit: (value) => value === String(PAGE_SIZE),
  offset: (value) => /^(?:0|[1-9]\d*)$/.test(value) && Number(value) % PAGE_SIZE === 0,
};
