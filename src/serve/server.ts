import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { escapeControls } from '../contract/words.ts';
import { errorCode, OutputError } from '../errors.ts';
import { createError, type PlainResponse } from './handler/index.ts';

export const defaultLimits = {
  headersMs: 10_000,
  requestMs: 20_000,
  /**
   * Load balancers report errors if the server closes an idle connection before they
   * do. nginx uses the same default.
   */
  keepAliveMs: 75_000,
  /** The timeout for a client that does not read the response. */
  idleMs: 30_000,
  stopMs: 5000,
  headerBytes: 16_384,
  connections: 4096,
  /**
   * The maximum number of queued requests per connection. A connection that exceeds
   * it is closed.
   */
  waiting: 100,
};
export type Limits = Readonly<typeof defaultLimits>;

interface ServerOptions {
  readonly respond: (request: IncomingMessage) => Promise<PlainResponse>;
  readonly limits: Limits;
  /**
   * Called after each request with a line such as `GET /api/gamedata/move/ 200 12240
   * B 0.4 ms`.
   */
  readonly onRequest: ((line: string) => void) | undefined;
  readonly onProblem: (line: string) => void;
}

export interface BoundedServer {
  /**
   * Starts listening for connections.
   *
   * @throws OutputError if the port is not available
   */
  listen(port: number, address: string): Promise<AddressInfo>;
  /** Stops the server after waiting a limited time for running requests. */
  stop(): Promise<void>;
}

/**
 * Creates an HTTP server that no single client can keep busy: every size, time and
 * queue is limited.
 *
 * Each connection has its own queue, so a client that sends many requests at once
 * delays only itself. Errors that Node detects before a request is complete go
 * through the same queue, because they must not overtake earlier responses.
 */
export function createBoundedServer(options: ServerOptions): BoundedServer {
  const { limits } = options;
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    maxHeaderSize: limits.headerBytes,
    // We check the Host header ourselves, because Node's own 400 response has no
    // body.
    requireHostHeader: false,
  });
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;

  let runningTasks = 0;
  let stopped: Promise<unknown> | undefined;
  const queues = new WeakMap<Duplex, LimitFunction>();

  /** Runs a connection's tasks one after another. */
  async function enqueue(
    socket: Duplex,
    task: () => Promise<void> | void,
  ): Promise<void> {
    const queue = queues.get(socket) ?? pLimit(1);
    queues.set(socket, queue);
    if (queue.pendingCount >= limits.waiting) socket.destroy();
    if (socket.destroyed) return;
    runningTasks++;
    try {
      await queue(() => {
        // The client may have closed the connection while the task was queued.
        if (socket.writable) return task();
      });
    } finally {
      runningTasks--;
      if (stopped && runningTasks === 0) server.closeAllConnections();
    }
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    void enqueue(request.socket, () => {
      if (stopped) response.setHeader('Connection', 'close');
      return respondAndLog(request, response, options);
    });
  }

  // Requests with `Expect: 100-continue` get the final response immediately.
  server
    .on('request', handle)
    .on('checkContinue', handle)
    .on('checkExpectation', handle);
  server.on('connect', (_, socket) => {
    // Node does not handle errors of tunnel sockets, and an error without a listener
    // would end the process.
    socket.on('error', () => socket.destroy());
    void enqueue(socket, () => rejectConnection(socket, 405));
  });
  server.on('clientError', (error, socket) => {
    const status = clientErrors[errorCode(error)] ?? 400;
    void enqueue(socket, () => rejectConnection(socket, status));
  });

  return {
    async listen(port, address) {
      try {
        await once(server.listen(port, address), 'listening');
      } catch (cause) {
        throw createListenError(cause, `port ${port} on ${address}`);
      }
      return server.address() as AddressInfo;
    },
    async stop() {
      stopped ??= once(server.close(), 'close');
      if (runningTasks === 0) server.closeAllConnections();
      setTimeout(() => server.closeAllConnections(), limits.stopMs).unref();
      await stopped;
    },
  };
}

/**
 * Responds to a request, waits until the response has been sent, and reports both in
 * one line. If an error occurs, the response is a 500. An error after the client has
 * disconnected is ignored, because the disconnection usually caused it.
 */
async function respondAndLog(
  request: IncomingMessage,
  response: ServerResponse,
  { respond, onProblem, onRequest }: ServerOptions,
): Promise<void> {
  const started = performance.now();
  const closed = new Promise((resolve) => response.on('close', resolve));
  const target = `${request.method} ${request.url}`;
  let sent: PlainResponse | undefined;
  try {
    const errorStatus = findFault(request);
    sent = errorStatus ? createClosingError(errorStatus) : await respond(request);
    await writeResponse(request, response, sent);
  } catch (error) {
    if (!response.destroyed) {
      const reason = error instanceof Error ? error.message : error;
      onProblem(`${target}: ${reason}`);
      sent = createClosingError(500);
      await writeResponse(request, response, sent);
    }
  }
  await closed;
  if (!onRequest) return;
  const bytes = sent?.body ? sent.headers['Content-Length'] : 0;
  const took = (performance.now() - started).toFixed(1);
  const end = response.writableFinished ? '' : ', cut off';
  onRequest(
    escapeControls(`${target} ${response.statusCode} ${bytes} B ${took} ms${end}`),
  );
}

/**
 * Returns an error status if a request violates the rules of HTTP. Since HTTP/1.1, a
 * request must have exactly one Host header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#name-host-header-field
 */
function findFault(request: IncomingMessage): 400 | 417 | undefined {
  const { headers, headersDistinct, httpVersion } = request;
  const hosts = headersDistinct.host?.length ?? 0;
  const mayLackHost = httpVersion === '1.0';
  if (hosts > 1) return 400;
  if (hosts === 0 && !mayLackHost) return 400;
  const { expect: expectation = '100-continue' } = headers;
  if (expectation.toLowerCase() !== '100-continue') return 417;
  return undefined;
}

/**
 * The statuses for errors from Node's parser and timers. All other errors get a 400.
 *
 * @see https://nodejs.org/docs/latest-v20.x/api/http.html#event-clienterror
 */
const clientErrors: Readonly<Record<string, 408 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const listenProblems: Readonly<
  Record<string, readonly [problem: string, hint?: string]>
> = {
  EADDRINUSE: [
    'already in use',
    'Choose another port with --port (0 picks a free one), as in npm start -- --port 0.',
  ],
  EACCES: ['requires privileges', 'Choose a port above 1023 with --port.'],
  EADDRNOTAVAIL: [
    'not an address of this machine',
    'Choose an address such as 127.0.0.1 with --listen.',
  ],
};

function createListenError(cause: unknown, place: string): OutputError {
  const code = errorCode(cause);
  const [problem, hint] = listenProblems[code] ?? [`not available (${code})`];
  return new OutputError(problem, place, { cause, hint });
}

/** Longer bodies are written in chunks of this size. */
const CHUNK_BYTES = 65_536;
/** The time a client has to read the response before the connection is reset. */
const LINGER_MS = 500;

/**
 * Writes a response's headers and body. A long body is written in chunks, so that
 * the server can respond to other clients in between. A short body is written at
 * once.
 *
 * The body of a request is never read. If a request has a body, the connection must
 * be closed after the response, because the next bytes on it would be that body. If
 * the body is still arriving, closing resets the connection, and the client loses
 * any part of the response that it has not read yet. Therefore the response ends
 * after a short delay.
 */
async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PlainResponse,
): Promise<void> {
  const isRequestBodySent = hasBody(request);
  const sentHeaders = isRequestBodySent
    ? { ...headers, Connection: 'close' }
    : headers;
  if (body) {
    // We use `writeHead` because it does not copy the headers.
    response.writeHead(status, sentHeaders);
    const isLong = Number(headers['Content-Length']) > CHUNK_BYTES;
    if (isLong) await pipeline(splitBody(body), response, { end: false });
    else response.write(Buffer.concat(body));
  } else {
    // Without a body, `writeHead` would omit `Content-Length: 0`.
    response.statusCode = status;
    response.setHeaders(new Map(Object.entries(sentHeaders)));
  }
  const isRequestArriving = isRequestBodySent && !request.complete;
  if (isRequestArriving) await wait(LINGER_MS);
  response.end();
}

function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Splits a body into chunks, and lets the server handle other clients after each
 * chunk, however fast this client reads.
 */
async function* splitBody(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += CHUNK_BYTES) {
      yield part.subarray(start, start + CHUNK_BYTES);
      await setImmediate();
    }
  }
}

function createClosingError(status: number): PlainResponse {
  const error = createError(status, `${STATUS_CODES[status]}.`);
  return { ...error, headers: { ...error.headers, Connection: 'close' } };
}

/**
 * Writes an error directly to a socket if there is no request to which Node could
 * respond.
 */
function rejectConnection(socket: Duplex, status: number): void {
  const { headers, body } = createClosingError(status);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    head += `${name}: ${value}\r\n`;
  }
  socket.write(`${head}\r\n`);
  socket.end(body?.[0]);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
