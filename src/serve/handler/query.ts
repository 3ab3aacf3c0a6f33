/** The parameters of a request. The last of repeated ones counts; unknown ones are ignored. */

import { type Integer, narrow, PAGE_SIZE, type Window } from '../../contract/windows.ts';

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
