/** Requests and responses as plain data, which saves our own server the cost of `Request` and `Response`. */

/** What a response depends on. */
export interface PlainRequest {
  readonly method: string;
  /** As it was sent: neither decoded nor normalized. Starts with a slash. */
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces if it is too large to be in memory as a whole. */
  readonly body: Uint8Array<ArrayBuffer> | AsyncGenerator<Uint8Array<ArrayBuffer>> | null;
}

/** Platforms normalize the path before a handler sees it. */
export function fromRequest({ method, url, headers }: Request): PlainRequest {
  const { pathname, search } = new URL(url);
  return { method, path: pathname, search, headers };
}

export const toResponse = ({ body, status, headers }: PlainResponse): Response =>
  new Response(body instanceof Uint8Array || !body ? body : streamOf(body), { status, headers });

/** `ReadableStream.from` is not everywhere. */
const streamOf = (chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
