/** Requests and responses as plain data: a `Request` would normalize the path, and our own server knows it as sent. */

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
