/** The parameters of a request. The last of repeated ones counts; unknown ones are ignored. */

import { PAGE_SIZE, type Window } from '../../contract/windows.ts';
import { parseInteger } from './integer.ts';

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
  const limit = parseInteger(query.getAll('limit').at(-1) ?? '');
  const offset = parseInteger(query.getAll('offset').at(-1) ?? '');
  return {
    limit: limit !== undefined && limit > 0 ? limit : PAGE_SIZE,
    offset: offset !== undefined && offset > 0 ? offset : 0,
  };
}
