import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeControls } from '../contract/words.ts';
import { errorCode, GamedataError } from '../errors.ts';
import { createError, type PlainResponse } from './handler/index.ts';

/**
 * The timeout for a client that neither sends nor reads anything. Node may need two
 * timeouts to detect a stalled response, so it closes the connection after at most a
 * minute.
 */
const IDLE_MS = 30_000;
/**
 * If a client sends requests without reading the responses, the server buffers them, so
 * we limit the number of requests per connection. nginx's default is 1,000, but 300
 * such clients would then need 2 GB instead of 270 MB.
 */
const MAX_REQUESTS_PER_CONNECTION = 100;
const MAX_CONNECTIONS = 1000;
/** How long requests in flight may take to finish after the server has been stopped. */
const MAX_STOP_MS = 5000;

const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  // Load balancers report errors if the server closes an idle connection before they
  // do. nginx uses the same default.
  keepAliveTimeout: 75_000,
};

interface ServerOptions {
  readonly port: number;
  /** The address to listen on. */
  readonly listen: string;
  readonly respond: (request: IncomingMessage) => Promise<PlainResponse>;
  /**
   * Called after each request with a line such as `GET /api/gamedata/move/ 200 12240
   * B 0.4 ms`.
   */
  readonly onRequest: ((line: string) => void) | undefined;
  /** Called with one line for each request that failed because of a bug. */
  readonly onProblem: (line: string) => void;
}

export interface RunningServer {
  readonly address: AddressInfo;
  /** Stops the server, and waits up to five seconds for requests in flight. */
  stop(): Promise<void>;
}

/**
 * Starts an HTTP server, and waits until it is listening. Node itself responds to
 * malformed requests, and closes connections that exceed the limits.
 *
 * @throws GamedataError if the port is not available
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer(timeouts);
  limitConnections(server);
  // `createStop` counts the requests in flight, so it must be called before the first
  // one arrives.
  const stop = createStop(server);
  server.on('request', (request, response) => {
    void respondAndLog(request, response, options);
  });

  const { port, listen } = options;
  try {
    await once(server.listen(port, listen), 'listening');
  } catch (cause) {
    throw createListenError(cause, `port ${port} on ${listen}`);
  }
  return { address: server.address() as AddressInfo, stop };
}

/** Limits the connections and the memory that clients can use. */
function limitConnections(server: Server): void {
  server.timeout = IDLE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  // Otherwise, Node would buffer a 503 for each request over the limit.
  server.on('dropRequest', (_, socket) => socket.destroy());
}

/**
 * Creates the function that stops a server, and starts counting the requests in flight.
 * A stopped server accepts no new connections, but finishes the requests in flight.
 * When the last of them has ended, or after five seconds, it closes all connections.
 * Otherwise, it would wait for clients that keep their connections open.
 */
function createStop(server: Server): RunningServer['stop'] {
  let runningRequests = 0;

  function closeConnectionsAfterStop(): void {
    const isStopped = !server.listening;
    const isIdle = runningRequests === 0;
    if (isStopped && isIdle) server.closeAllConnections();
  }

  server.on('request', (_, response) => {
    runningRequests++;
    response.on('close', () => {
      runningRequests--;
      closeConnectionsAfterStop();
    });
  });

  return async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    closeConnectionsAfterStop();
    setTimeout(() => server.closeAllConnections(), MAX_STOP_MS).unref();
    await closed;
  };
}

/**
 * Responds to a request, and reports it in one line. A bug must not crash the server,
 * so the client gets a 500, and the error is reported.
 */
async function respondAndLog(
  request: IncomingMessage,
  response: ServerResponse,
  { respond, onRequest, onProblem }: ServerOptions,
): Promise<void> {
  const started = performance.now();
  const target = escapeControls(`${request.method} ${request.url}`);
  let sent: PlainResponse;
  try {
    sent = await respond(request);
  } catch (error) {
    onProblem(`${target}: ${(error as Error).message}`);
    sent = createError(500, 'Internal server error.');
  }
  // Node emits this event when the response has been sent or the client has disconnected.
  response.on('close', () => {
    const bytes = sent.body ? sent.headers['Content-Length'] : 0;
    const took = (performance.now() - started).toFixed(1);
    onRequest?.(`${target} ${sent.status} ${bytes} B ${took} ms`);
  });
  await send(response, sent);
}

/**
 * Sends a response part by part. Responses share their parts, so we do not join them. A
 * client that reads slowly then needs no memory of its own.
 *
 * The response is ended only after everything has been sent, because `server.close()`
 * disconnects clients whose response has ended, even if they have not received all of
 * it.
 */
async function send(
  response: ServerResponse,
  { status, headers, body }: PlainResponse,
): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  for (const part of body ?? []) {
    const isBuffered = !response.write(part);
    // If the client disconnects, this promise never settles, but nothing is left to do.
    if (isBuffered) await once(response, 'drain');
  }
  response.end();
}

const listenProblems: Readonly<
  Record<string, readonly [problem: string, hint: string]>
> = {
  EADDRINUSE: [
    'already in use',
    'Choose another port, and let links lead to it: --port 4000 --base-url http://127.0.0.1:4000 (after npm start, put -- before these options).',
  ],
  EACCES: ['requires privileges', 'Choose a port above 1023 with --port.'],
  EADDRNOTAVAIL: [
    'not an address of this machine',
    'Choose an address such as 127.0.0.1 with --listen.',
  ],
};

function createListenError(cause: unknown, place: string): GamedataError {
  const code = errorCode(cause);
  const [problem, hint] = listenProblems[code] ?? [`not available (${code})`];
  return new GamedataError('output', `${place}: ${problem}`, { cause, hint });
}
