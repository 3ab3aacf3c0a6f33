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
 * Creates the connections to the upstream. If the environment configures a proxy,
 * they go through the proxy. undici decides which hosts `NO_PROXY` excludes. We
 * create each pool ourselves, because undici does not pass the limits on to
 * connections to a proxy.
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
    // undici passes a function only for connections through a proxy.
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
      proxyTunnel: false,
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
 * Wraps a function that connects. If a proxy closes the connection instead of opening a
 * tunnel, the request should fail. But undici takes `UND_ERR_SOCKET` for a lost
 * connection, and connects again and again. It reports any other code to the request, so
 * we replace the code.
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
