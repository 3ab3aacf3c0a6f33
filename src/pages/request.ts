/** Asking for an address: what came of it, be it JSON, something else or nothing. */

export type Outcome =
  | { readonly type: 'answer'; readonly response: Response; readonly text: string; readonly json: unknown }
  /** An answer that is no JSON, which no address of the API gives. */
  | { readonly type: 'foreign'; readonly response: Response }
  | { readonly type: 'failure'; readonly reason: string };

export async function ask(url: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
    const text = await response.text();
    try {
      return { type: 'answer', response, text, json: JSON.parse(text) };
    } catch {
      return { type: 'foreign', response };
    }
  } catch (error) {
    return { type: 'failure', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Servers of HTTP/2 and later send no words. */
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

/** Those of the answer's headers that say something to a person. */
export const headerLines = ({ headers }: Response): (readonly [name: string, value: string])[] =>
  shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });

/** The sentence that a refusal of the API has. */
export function detailOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('detail' in json)) return undefined;
  return typeof json.detail === 'string' ? json.detail : undefined;
}
