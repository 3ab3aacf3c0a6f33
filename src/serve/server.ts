import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
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
  /** Load balancers fail if the server closes an idle connection before they do. nginx has the same default. */
  keepAliveMs: 75_000,
  /** For a client that does not read the response. */
  idleMs: 30_000,
  stopMs: 5000,
  headerBytes: 16_384,
  connections: 4096,
  /** Maximum queued requests per connection. Connections that exceed it are closed. */
  waiting: 100,
};
export type Limits = Readonly<typeof defaultLimits>;

interface ServerOptions {
  readonly respond: (request: IncomingMessage) => Promise<PlainResponse>;
  readonly limits: Limits;
  /** Called after each request with a line such as `GET /api/gamedata/move/ 200 12240 B 0.4 ms`. */
  readonly onRequest: ((line: string) => void) | undefined;
  readonly onProblem: (line: string) => void;
}

export function createBoundedServer({ respond, limits, onRequest, onProblem }: ServerOptions) {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    maxHeaderSize: limits.headerBytes,
    // Node's own 400 has no body.
    requireHostHeader: false,
  });
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;

  let running = 0;
  let stopped: Promise<unknown> | undefined;
  const queues = new WeakMap<Duplex, LimitFunction>();

  /** Runs the tasks of a connection one after the other, so that a long pipeline delays no other client. */
  async function enqueue(socket: Duplex, task: () => Promise<void> | void): Promise<void> {
    const queue = queues.get(socket) ?? pLimit(1);
    queues.set(socket, queue);
    if (queue.pendingCount >= limits.waiting) socket.destroy();
    if (socket.destroyed) return;
    running++;
    try {
      await queue(() => (socket.writable ? task() : undefined));
    } finally {
      running--;
      if (stopped && running === 0) server.closeAllConnections();
    }
  }

  async function respondTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const closed = new Promise((resolve) => response.on('close', resolve));
    const target = `${request.method} ${request.url}`;
    let sent: PlainResponse | undefined;
    if (stopped) response.setHeader('Connection', 'close');
    try {
      const status = findFault(request);
      sent = status ? createClosingError(status) : await respond(request);
      await writeResponse(request, response, sent);
    } catch (error) {
      if (!response.destroyed) {
        onProblem(`${target}: ${error instanceof Error ? error.message : error}`);
        sent = createClosingError(500);
        await writeResponse(request, response, sent);
      }
    }
    await closed;
    const bytes = sent?.body ? sent.headers['Content-Length'] : 0;
    const took = (performance.now() - started).toFixed(1);
    const end = response.writableFinished ? '' : ', cut off';
    onRequest?.(escapeControls(`${target} ${response.statusCode} ${bytes} B ${took} ms${end}`));
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    void enqueue(request.socket, () => respondTo(request, response));
  // `Expect: 100-continue` gets the final response immediately.
  server.on('request', handle).on('checkContinue', handle).on('checkExpectation', handle);
  server.on('connect', (_, socket) => {
    // Node does not handle errors on tunnel sockets, and an error without a listener would end the process.
    socket.on('error', () => socket.destroy());
    void enqueue(socket, () => rejectConnection(socket, 405));
  });
  server.on('clientError', (error, socket) => {
    void enqueue(socket, () => rejectConnection(socket, clientErrors[errorCode(error)] ?? 400));
  });

  return {
    async listen(port: number, address: string): Promise<AddressInfo> {
      try {
        await once(server.listen(port, address), 'listening');
      } catch (cause) {
        const code = errorCode(cause);
        const [problem = `is not available (${code})`, hint] = listenProblems[code] ?? [];
        throw new OutputError(problem, `${address} port ${port}`, { cause, hint });
      }
      return server.address() as AddressInfo;
    },
    async stop(): Promise<void> {
      stopped ??= once(server.close(), 'close');
      if (running === 0) server.closeAllConnections();
      setTimeout(() => server.closeAllConnections(), limits.stopMs).unref();
      await stopped;
    },
  };
}

/** A host is required since HTTP/1.1, and only one: https://www.rfc-editor.org/rfc/rfc9112#name-host-header-field */
function findFault({
  headers,
  headersDistinct,
  httpVersion,
}: IncomingMessage): 400 | 417 | undefined {
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return 400;
  const { expect = '100-continue' } = headers;
  return expect.toLowerCase() === '100-continue' ? undefined : 417;
}

/** Errors of Node's parser and timers: https://nodejs.org/docs/latest-v20.x/api/http.html#event-clienterror */
const clientErrors: Readonly<Record<string, 408 | 431>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const listenProblems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['is already in use', 'Choose another port with --port (0 picks a free one).'],
  EACCES: ['requires privileges to listen on', 'Choose a port above 1023 with --port.'],
  EADDRNOTAVAIL: [
    'is not an address of this machine',
    'Choose an address such as 127.0.0.1 with --listen.',
  ],
};

const CHUNK_BYTES = 65_536;
/** The time for a client to read the response before the connection is reset. */
const LINGER_MS = 500;

async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PlainResponse,
): Promise<void> {
  const { 'transfer-encoding': encoding, 'content-length': length = 0 } = request.headers;
  const isBodySent = encoding !== undefined || Number(length) > 0;
  const sentHeaders = isBodySent ? { ...headers, Connection: 'close' } : headers;
  response.statusCode = status;
  // `writeHead` does not copy the headers, but without a body it would omit `Content-Length: 0`.
  if (body) response.writeHead(status, sentHeaders);
  else response.setHeaders(new Map(Object.entries(sentHeaders)));
  if (body && Number(headers['Content-Length']) > CHUNK_BYTES)
    await pipeline(splitBody(body), response, { end: false });
  else if (body) response.write(Buffer.concat(body));
  // Closing a connection while a request body arrives resets the connection. The body is never read.
  if (isBodySent && !request.complete) await wait(LINGER_MS);
  response.end();
}

/** Serves other clients after each chunk, regardless of how fast this client reads. */
async function* splitBody(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += CHUNK_BYTES) {
      yield part.subarray(at, at + CHUNK_BYTES);
      await setImmediate();
    }
}

function createClosingError(status: number): PlainResponse {
  const error = createError(status, `${STATUS_CODES[status]}.`);
  return { ...error, headers: { ...error.headers, Connection: 'close' } };
}

function rejectConnection(socket: Duplex, status: number): void {
  const { headers, body } = createClosingError(status);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n`);
  socket.end(body?.[0]);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
