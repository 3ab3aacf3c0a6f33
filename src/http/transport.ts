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

/** The timeouts of a request, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  /** The maximum time between parts of a body. */
  readonly body: number;
  /** The maximum time for the whole response, including the time to connect. */
  readonly total: number;
}

/**
 * The defaults allow a response to take minutes on a slow connection if data keeps
 * arriving.
 */
const defaultTimeouts: Timeouts = {
  connect: 10_000,
  headers: 30_000,
  body: 30_000,
  total: 600_000,
};

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: HeaderFields;
  /** The maximum size of the decompressed body. */
  readonly maxBytes: number;
  /** A shorter limit than the transport's own limit for the whole response. */
  readonly totalMs?: number | undefined;
}

/**
 * A response whose body may still be compressed. We declare this type here because
 * published types cannot refer to undici.
 */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends single requests without retries or pauses. */
export interface Transport {
  /**
   * Sends a request and receives the whole response, which may have any status.
   * Rejects with `AttemptError`.
   */
  request(url: string, options: RequestOptions): Promise<RawResponse>;
  /**
   * Returns whether the upstream itself has responded to any request, even if
   * receiving the body failed afterwards.
   */
  hasResponded(): boolean;
  /** Returns the proxy for requests to a URL, without the proxy's password. */
  findProxy(url: string): string | undefined;
  /** Aborts all requests and closes all connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** The maximum number of concurrent connections. */
  readonly concurrency: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** A compressed body may be slightly larger than its content. */
const COMPRESSION_OVERHEAD_BYTES = 4096;

/**
 * Creates a transport for one upstream. Each request races the whole response
 * against a timer, because undici limits only the times to connect, to receive the
 * headers, and between two parts of the body. Every failure becomes an
 * `AttemptError` that names the proxy, if there is one.
 */
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
      // We reject the promise ourselves, because undici would first wait for a
      // connection.
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

/**
 * Reads a body, and stops as soon as it is too large, so that a server cannot
 * exhaust our memory.
 */
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
