/** Requests and answers as plain data: what a server of our own can skip making a `Request` and a `Response` for. */

/** What an answer depends on. */
export interface PlainRequest {
  readonly method: string;
  /** As it was sent, beginning with a slash: nothing decoded, no dots resolved. */
  readonly path: string;
  /** Empty, or the query with its question mark. */
  readonly search: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Platforms resolve the dots of a path before a handler sees it. */
export function fromRequest({ method, url, headers }: Request): PlainRequest {
  const { pathname, search } = new URL(url);
  return { method, path: pathname, search, headers };
}

export const toResponse = ({ body, status, headers }: Answer): Response =>
  new Response(body, { status, headers });
