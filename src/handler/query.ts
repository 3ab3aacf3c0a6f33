/** What a request asks for. The last of repeated parameters counts, unknown ones are ignored. */

import { PAGE_SIZE, type Window } from '../contract/windows.ts';
import { parseWhole } from './whole.ts';

export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === 'GET' || method === 'HEAD';

/** `other` is a format that does not exist. */
export type Format = 'api' | 'json' | 'other' | undefined;

export function readFormat(query: URLSearchParams): Format {
  const format = query.getAll('format').at(-1);
  if (format === undefined || format === '') return undefined;
  return format === 'api' || format === 'json' ? format : 'other';
}

/** A limit that is none counts as the page size, an offset that is none as 0. */
export function readWindow(query: URLSearchParams): Window {
  const limit = parseWhole(query.getAll('limit').at(-1) ?? '');
  const offset = parseWhole(query.getAll('offset').at(-1) ?? '');
  return {
    limit: limit !== undefined && limit > 0 ? limit : PAGE_SIZE,
    offset: offset !== undefined && offset > 0 ? offset : 0,
  };
}
