import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode, GamedataError } from '../errors.ts';

/** The timeouts of connections, in milliseconds. */
export interface ConnectionTimeouts {
  readonly connect: number;
  readonly headers: number;
  /** The maximum time between parts of a body. */
  readonly body: number;
}

/**
 * The timeout for connecting to one of a host's addresses. Node's default of 250 ms
 * is too short for slow networks.
 */
const ADDRESS_TIMEOUT_MS = 1000;

/**
 * Creates the connections to the upstream. If `HTTP_PROXY` or `HTTPS_PROXY` names a
 * proxy, they go through the proxy, except to the hosts in `NO_PROXY`.
 *
 * undici reads these variables itself. We only create the connection pools ourselves,
 * because undici does not apply our limits to connections to a proxy.
 *
 * @param concurrency the maximum number of connections to an origin or to the proxy
 * @throws GamedataError if an environment variable does not contain a proxy URL
 */
export function createConnections(
  concurrency: number,
  timeouts: ConnectionTimeouts,
): Dispatcher {
  const connectOptions: buildConnector.BuildOptions = {
    timeout: timeouts.connect,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  };

  function createPool(origin: string | URL, options: Pool.Options): Pool {
    const { connect = {} } = options;
    // For connections through a proxy, undici passes a function that opens a tunnel.
    // Otherwise, it passes options.
    const connector =
      typeof connect === 'function' ? connect : buildConnector(connect);
    return new Pool(origin, {
      ...options,
      connect: failOnClosedTunnel(connector),
      connections: concurrency,
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.body,
    });
  }

  try {
    return new EnvHttpProxyAgent({
      connect: connectOptions,
      proxyTls: connectOptions,
      // Requests to https URLs need a tunnel through the proxy. Without this option,
      // undici would also open one for http URLs, which some proxies refuse.
      proxyTunnel: false,
      // undici calls `factory` for connections to an upstream, and `clientFactory` for
      // connections to the proxy.
      factory: createPool,
      clientFactory: createPool,
    });
  } catch (cause) {
    // The error does not quote the value, because it may contain a password.
    const problem = 'expected a proxy URL, such as http://127.0.0.1:8080';
    throw new GamedataError('usage', `HTTP_PROXY or HTTPS_PROXY: ${problem}`, {
      cause,
    });
  }
}

/**
 * Wraps a connector, so that a request fails if the proxy closes the connection instead
 * of opening a tunnel. The error then has the code `UND_ERR_SOCKET`, which undici
 * treats as a lost connection, so it would keep reconnecting. With any other code,
 * undici fails the request.
 */
function failOnClosedTunnel(
  connect: buildConnector.connector,
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...errorAndSocket) => {
      const [error] = errorAndSocket;
      const isClosed = error !== null && errorCode(error) === 'UND_ERR_SOCKET';
      if (isClosed) Object.assign(error, { code: 'ECONNRESET' });
      callback(...errorAndSocket);
    });
  };
}
