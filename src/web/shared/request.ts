/** Sends a request, and returns JSON, another response, or the failure. */

import { root } from './elements.ts';

export type Outcome =
  | { readonly type: 'answer'; readonly response: Response; readonly json: unknown }
  /** A response that is not JSON, which no endpoint sends. */
  | { readonly type: 'foreign'; readonly response: Response }
  | { readonly type: 'failure'; readonly reason: string };

export async function send(url: string, signal: AbortSignal | null = null): Promise<Outcome> {
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
    const text = await response.text();
    try {
      return { type: 'answer', response, json: JSON.parse(text) };
    } catch {
      return { type: 'foreign', response };
    }
  } catch (error) {
    return { type: 'failure', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A file of the site. Throws if there is none. */
export async function fetchJson<T>(file: string): Promise<T> {
  const response = await fetch(root + file);
  if (!response.ok) throw new Error(`${file}: got ${response.status}`);
  return response.json();
}

/** HTTP/2 and later have no reason phrases. */
const words: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

export const statusLine = ({ status, statusText }: Response): string =>
  `HTTP ${status} ${statusText || (words[status] ?? '')}`.trimEnd();

const shownHeaders = ['Allow', 'Content-Type', 'Vary', 'Cache-Control', 'ETag', 'Last-Modified'];

/** The headers that are of interest to people. */
export const headerLines = ({ headers }: Response): (readonly [name: string, value: string])[] =>
  shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
