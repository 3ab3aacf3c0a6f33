import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { errorCode, GamedataError, isExpected } from '../errors.ts';
import { USER_AGENT } from '../package.ts';
import { createConnections } from './connections.ts';

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

export type HeaderFields = Readonly<Record<string, string | undefined>>;

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: HeaderFields;
  /** The maximum size of the decompressed body. */
  readonly maxBytes: number;
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

/** Thrown if no complete response arrives. */
export class ConnectionError extends Error {}

/** Statistics about the requests so far. */
export interface RequestStats {
  requests: number;
  /** The total size of all bodies as received. */
  bytes: number;
  /** The number of values that came from the journal instead of a request. */
  cacheHits: number;
}

/** Sends single requests, and never repeats one. */
export interface Transport {
  readonly stats: RequestStats;
  /**
   * Sends a request and receives the whole response, which may have any status.
   *
   * @throws ConnectionError, or GamedataError if the body is too large
   */
  request(url: string, options: RequestOptions): Promise<RawResponse>;
  /** Returns whether the headers of any response have arrived. */
  hasResponded(): boolean;
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
 * Creates a transport for one upstream. Undici limits the times to connect, to
 * receive the headers, and between two parts of the body. We limit the time for the
 * whole response.
 */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const dispatcher = createConnections({
    connections: options.concurrency,
    connectTimeout: timeouts.connect,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  const stats: RequestStats = { requests: 0, bytes: 0, cacheHits: 0 };
  let hasResponded = false;

  /** Sends a request, and receives the whole response, until the signal aborts. */
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
    hasResponded = true;
    const isCompressed = response.headers['content-encoding'] !== undefined;
    const overhead = isCompressed ? COMPRESSION_OVERHEAD_BYTES : 0;
    const body = await readBody(response.body, request.maxBytes, overhead);
    stats.bytes += body.length;
    return { status: response.statusCode, headers: response.headers, body };
  }

  /** Sends a request, and gives up after the time for the whole response. */
  async function request(
    url: string,
    requestOptions: RequestOptions,
  ): Promise<RawResponse> {
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    // We reject the promise ourselves, because undici would first wait for a
    // connection.
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new ConnectionError(
            `no complete response within ${timeouts.total / 1000} s`,
          ),
        );
        late.abort();
      }, timeouts.total);
    });
    stats.requests++;
    try {
      return await Promise.race([
        expired,
        receive(url, requestOptions, late.signal),
      ]);
    } catch (error) {
      throw toConnectionError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    stats,
    request,
    hasResponded: () => hasResponded,
    close: () => dispatcher.destroy(),
  };
}

/**
 * Reads a body, and stops as soon as it is too large, so that a server cannot
 * exhaust our memory. The body may still be compressed, and is then at most slightly
 * larger than its content.
 *
 * @param maxBytes the maximum size of the decompressed content, which the error names
 * because the caller has chosen it
 * @param overheadBytes the number of bytes by which the body may be larger than its
 * content
 * @throws GamedataError if the body is too large
 */
async function readBody(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  overheadBytes: number,
): Promise<Buffer> {
  const maxReceivedBytes = maxBytes + overheadBytes;
  const pieces: Buffer[] = [];
  let receivedBytes = 0;
  for await (const piece of body) {
    receivedBytes += piece.length;
    if (receivedBytes > maxReceivedBytes) {
      throw new GamedataError('data', `got more than ${maxBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Converts an error from undici or Node to a `ConnectionError`, so that callers can
 * distinguish a failed connection from a bug. The message ends with the error's code,
 * such as `ECONNRESET`, unless there is no code or the message already contains it.
 * Returns any other error unchanged: it is either one of ours, or a bug.
 */
function toConnectionError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isOurs = error instanceof ConnectionError || isExpected(error, 'data');
  if (isOurs) return error;
  const code = errorCode(error);
  // Undici's parser sets no code for some invalid responses.
  const isConnectionFailure = code !== '' || error.name === 'HTTPParserError';
  if (!isConnectionFailure) return error;
  const problem = describeFailure(error.message);
  // Node's own messages already contain the code, such as `connect ECONNREFUSED`.
  const needsCode = code !== '' && !problem.includes(code);
  const message = needsCode ? `${problem} (${code})` : problem;
  return new ConnectionError(message, { cause: error });
}

/**
 * Matches a message of OpenSSL, such as `error:0A00010B:SSL routines:get_record:wrong
 * version number:record.c:344:`, and captures the reason.
 */
const OPENSSL_MESSAGE = /:SSL routines:[^:]*:([^:]*):/;

function describeFailure(message: string): string {
  const [, opensslReason] = OPENSSL_MESSAGE.exec(message) ?? [];
  return opensslReason || message || 'connection failed';
}
