import type { Dispatcher } from 'undici';
import { errorCode, GamedataError, isExpected } from '../errors.ts';
import { USER_AGENT } from '../package.ts';
import { decompress } from './body.ts';
import { type ConnectionTimeouts, createConnections } from './connections.ts';

/** The timeouts of a request, in milliseconds. */
export interface Timeouts extends ConnectionTimeouts {
  /**
   * The maximum time for the whole response. An attempt to connect may continue after
   * it.
   */
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

/** A response that has arrived completely. */
export interface ReceivedResponse {
  readonly status: number;
  /**
   * Returns a header's value, or undefined. The name is not case-sensitive, and
   * repeated values are joined.
   */
  header(name: string): string | undefined;
  /**
   * Decompresses the body.
   *
   * @throws GamedataError if the body cannot be decompressed, or if the content is too
   * large
   */
  decodeBody(): Buffer;
}

/** Thrown if no complete response arrives. */
export class ConnectionError extends Error {}

/** Statistics about the requests so far. */
export interface RequestStats {
  requests: number;
  /** The total size of all bodies as received, before decompression. */
  bytes: number;
  /** The number of values that came from the journal instead of a request. */
  cacheHits: number;
}

/** Sends requests without ever retrying them. */
export interface Transport {
  readonly stats: RequestStats;
  /**
   * Sends a request and receives the whole response, which may have any status.
   *
   * @throws ConnectionError, or GamedataError if the body is too large
   */
  request(url: string, options: RequestOptions): Promise<ReceivedResponse>;
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
 * Creates a transport for one upstream. Undici limits the time for connecting, for
 * receiving the headers, and between two parts of the body. We limit the time for the
 * whole response.
 */
export function createTransport(options: TransportOptions): Transport {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const dispatcher = createConnections(options.concurrency, timeouts);
  const stats: RequestStats = { requests: 0, bytes: 0, cacheHits: 0 };
  let hasResponded = false;

  /**
   * Sends a request, and receives the whole response unless the signal aborts first.
   */
  async function receive(
    url: string,
    { method = 'GET', headers, maxBytes }: RequestOptions,
    signal: AbortSignal,
  ): Promise<ReceivedResponse> {
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: { 'user-agent': USER_AGENT, ...headers },
      signal,
    });
    hasResponded = true;
    function header(name: string): string | undefined {
      const value = response.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    }
    const encoding = header('content-encoding');
    const overhead = encoding === undefined ? 0 : COMPRESSION_OVERHEAD_BYTES;
    const body = await readBody(response.body, maxBytes, overhead);
    stats.bytes += body.length;
    return {
      status: response.statusCode,
      header,
      decodeBody: () => decompress(body, encoding, maxBytes),
    };
  }

  /** Sends a request, and aborts it if the whole response does not arrive in time. */
  async function request(
    url: string,
    requestOptions: RequestOptions,
  ): Promise<ReceivedResponse> {
    const signal = AbortSignal.timeout(timeouts.total);
    stats.requests++;
    try {
      return await receive(url, requestOptions, signal);
    } catch (error) {
      if (!signal.aborted) throw toConnectionError(error);
      const limit = `${timeouts.total / 1000} s`;
      throw new ConnectionError(`no complete response within ${limit}`);
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
 * Reads a body, and stops as soon as it is too large, so that a server cannot exhaust
 * our memory. The body may still be compressed, and is then at most slightly larger
 * than its content.
 *
 * @param maxBytes the maximum size of the decompressed content, which the error states
 * because the caller has chosen this limit
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
  if (isExpected(error, 'data')) return error;
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
