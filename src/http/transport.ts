import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { USER_AGENT } from '../package.ts';
import { createConnections } from './dispatcher.ts';
import {
  AttemptError,
  type HeaderFields,
  isOwnStatus,
  toAttemptError,
  tooLarge,
} from './failures.ts';

/** In milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  /** The maximum time between two pieces of a body. */
  readonly body: number;
  /** The maximum time for the whole response, including the connection. */
  readonly total: number;
}

/** A slow line may take minutes for a response, as long as data arrives. */
const defaultTimeouts: Timeouts = {
  connect: 10_000,
  headers: 30_000,
  body: 30_000,
  total: 600_000,
};

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: HeaderFields;
  /** Of the decompressed body. */
  readonly maxBytes: number;
  /** Shortens the transport's maximum time for the whole response. */
  readonly totalMs?: number | undefined;
}

/** Declared here, because published types cannot refer to undici. The body may be compressed. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends single requests, without retries or pauses. */
export interface Transport {
  /** Receives a whole response with any status. Rejects with `AttemptError`. */
  request(url: string, options: RequestOptions): Promise<RawResponse>;
  /** Whether the upstream itself has responded to any request, even if the body then failed. */
  hasResponded(): boolean;
  /** Returns the proxy that carries requests for a URL, without the proxy's password. */
  findProxy(url: string): string | undefined;
  /** Aborts all requests. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** The maximum number of connections. */
  readonly concurrency: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** A compressed body may be larger than its content, but only by a little. */
const COMPRESSION_OVERHEAD_BYTES = 4096;

export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const { dispatcher, findProxy } = createConnections({
    connections: options.concurrency,
    connectTimeout: timeouts.connect,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  let hasResponded = false;

  async function receive(
    url: string,
    request: RequestOptions,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: { 'user-agent': USER_AGENT, ...request.headers },
      signal,
    });
    const { statusCode: status, headers } = response;
    if (isOwnStatus(status)) hasResponded = true;
    const isCompressed = headers['content-encoding'] !== undefined;
    const overhead = isCompressed ? COMPRESSION_OVERHEAD_BYTES : 0;
    const body = await readBody(response.body, request.maxBytes, overhead);
    return { status, headers, body };
  }

  return {
    async request(url, request) {
      const totalMs = Math.min(timeouts.total, request.totalMs ?? timeouts.total);
      const late = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      // We reject the request ourselves, because undici would wait for a connection first.
      const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const problem = `no complete response within ${totalMs / 1000} s`;
          reject(new AttemptError(problem, { remedy: 'retry' }));
          late.abort();
        }, totalMs);
      });
      try {
        return await Promise.race([expired, receive(url, request, late.signal)]);
      } catch (error) {
        throw toAttemptError(error, findProxy(url));
      } finally {
        clearTimeout(timer);
      }
    },
    hasResponded: () => hasResponded,
    findProxy,
    close: () => dispatcher.destroy(),
  };
}

/** Stops as soon as a body is too large, so that no server can fill the memory. */
async function readBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  overheadBytes: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    const isTooLarge = bytes > maxBytes + overheadBytes;
    if (isTooLarge) throw tooLarge(maxBytes, new RangeError('body too large'));
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
