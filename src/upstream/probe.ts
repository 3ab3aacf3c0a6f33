import pLimit from 'p-limit';
import { errorCode, GamedataError, isExpected } from '../errors.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { findConnectionHint } from './client.ts';
import {
  ConnectionError,
  createTransport,
  type ReceivedResponse,
  type RequestOptions,
  type TransportOptions,
} from './transport.ts';

/** A request to a deployment. The path is relative to the deployment's base URL. */
export interface ProbeRequest extends Partial<RequestOptions> {
  readonly path: string;
}

export interface ProbeResponse {
  /** A description such as `POST /api/gamedata/move/ (Accept: text/html)`. */
  readonly request: string;
  readonly status: number;
  /**
   * Returns a header's value, or undefined. The name is not case-sensitive, and
   * repeated values are joined.
   */
  header(name: string): string | undefined;
  /** The body, decompressed. */
  readonly body: Buffer;
  readonly text: string;
}

/**
 * Sends requests to a deployment as its clients do. Any method and headers can be sent,
 * any status is returned, and redirects are not followed.
 */
export interface Probe {
  /** The base URL of the deployment. */
  readonly address: string;
  /** Sends a request. Rejects with a `GamedataError` if there is no response. */
  send(request: ProbeRequest): Promise<ProbeResponse>;
  /** Aborts all requests and closes all connections. */
  close(): Promise<void>;
}

/**
 * Creates a probe for one deployment. Large responses are received one at a time,
 * because several of them might not fit into memory. Other requests are limited only
 * by `concurrency`. If a connection breaks, its request is sent once more.
 */
export function createProbe(address: string, options: TransportOptions): Probe {
  const transport = createTransport(options);
  const limit = pLimit(options.concurrency);
  const limitLarge = pLimit(1);

  /**
   * Sends a request. If the connection breaks, sends it once more, because a server may
   * close a keep-alive connection at the moment we reuse it.
   *
   * @param attempts the number of attempts including this one
   */
  async function attempt(
    request: ProbeRequest,
    attempts = 1,
  ): Promise<ProbeResponse> {
    const { method = 'GET', path, maxBytes = MAX_BODY_BYTES } = request;
    const url = `${address}${path}`;
    try {
      const response = await transport.request(url, { ...request, maxBytes });
      return readResponse(request, response);
    } catch (error) {
      const isConnectionError = error instanceof ConnectionError;
      // Any other error is a bug.
      if (!isConnectionError && !isExpected(error, 'data')) throw error;
      const isBroken = ['UND_ERR_SOCKET', 'ECONNRESET'].includes(errorCode(error));
      if (isBroken && attempts === 1) return attempt(request, 2);
      const { message } = error;
      const tries = attempts === 1 ? '' : ` (${attempts} attempts)`;
      throw new GamedataError('upstream', `${method} ${url}: ${message}${tries}`, {
        cause: error,
        hint: isConnectionError ? findConnectionHint(error) : undefined,
      });
    }
  }

  return {
    address,
    send(request) {
      const isLarge = (request.maxBytes ?? 0) > MAX_BODY_BYTES;
      return isLarge ? limitLarge(attempt, request) : limit(attempt, request);
    },
    close: transport.close,
  };
}

function readResponse(
  request: ProbeRequest,
  { status, header, decodeBody }: ReceivedResponse,
): ProbeResponse {
  const body = decodeBody();
  const text = new TextDecoder().decode(body);
  return { request: describeRequest(request), status, header, body, text };
}

function describeRequest({
  method = 'GET',
  path,
  headers = {},
}: ProbeRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (fields.length === 0) return `${method} ${path}`;
  return `${method} ${path} (${fields.join('; ')})`;
}
