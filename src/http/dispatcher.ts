import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode, UsageError } from '../errors.ts';

/** In milliseconds. */
export interface ConnectionLimits {
  /** The maximum number of connections to an origin, or to the proxy. */
  readonly connections: number;
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  /** The maximum time between two pieces of a body. */
  readonly bodyTimeout: number;
}

export interface Connections {
  readonly dispatcher: Dispatcher;
  /** Returns the proxy that carries requests for a URL, without the proxy's password. */
  findProxy(url: string): string | undefined;
}

/** Connection timeout for each of a host's addresses. Node's default of 250 ms is too short for slow networks. */
const ADDRESS_TIMEOUT_MS = 1000;

/**
 * Creates the connections to the upstream, through the proxy from the environment if there is one. undici decides which
 * hosts `NO_PROXY` excludes, and asks `createPool` for a pool per origin. The pools get our limits there, because undici
 * does not pass them to the connections of a proxy.
 *
 * @throws UsageError if a variable does not name a proxy
 */
export function createConnections(limits: ConnectionLimits): Connections {
  const connectOptions: buildConnector.BuildOptions = {
    timeout: limits.connectTimeout,
    autoSelectFamilyAttemptTimeout: Math.max(
      ADDRESS_TIMEOUT_MS,
      getDefaultAutoSelectFamilyAttemptTimeout(),
    ),
  };
  const directOrigins = new Set<string>();

  function createPool(origin: string | URL, options: Pool.Options): Pool {
    const { connect = {} } = options;
    // Only the connections of a proxy have a function here.
    const isProxied = typeof connect === 'function';
    if (!isProxied) directOrigins.add(String(origin));
    const connector = isProxied ? connect : buildConnector(connect);
    return new Pool(origin, {
      ...options,
      connect: keepCause(connector),
      connections: limits.connections,
      headersTimeout: limits.headersTimeout,
      bodyTimeout: limits.bodyTimeout,
    });
  }

  function findProxy(url: string): string | undefined {
    const isDirect = directOrigins.has(new URL(url).origin);
    return isDirect ? undefined : readProxy(url);
  }

  try {
    const dispatcher = new EnvHttpProxyAgent({
      connect: connectOptions,
      proxyTls: connectOptions,
      proxyTunnel: false,
      factory: createPool,
      clientFactory: createPool,
    });
    return { dispatcher, findProxy };
  } catch (cause) {
    // The value is not shown, because it may contain a password.
    const problem = 'expected a proxy URL, such as http://127.0.0.1:8080';
    throw new UsageError(`HTTP_PROXY or HTTPS_PROXY: ${problem}`, { cause });
  }
}

/**
 * Changes what undici makes of two failures. If a proxy closes the connection instead of opening a tunnel, undici would retry
 * indefinitely, so we replace the code of the error. If a server sends a TLS alert after the handshake, because it wants a
 * client certificate, undici would only say that the other side closed the connection, so we close it with the alert first.
 */
function keepCause(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      const isClosedByProxy = error !== null && errorCode(error) === 'UND_ERR_SOCKET';
      if (isClosedByProxy) Object.assign(error, { code: 'ECONNRESET' });
      socket?.once('error', (alert) => socket.destroy(alert));
      done(...result);
    });
  };
}

/** Reads the proxy for a URL from the environment, without the proxy's password. */
function readProxy(url: string): string | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  const generalProxy = http_proxy ?? HTTP_PROXY;
  const tlsProxy = https_proxy ?? HTTPS_PROXY;
  const isTls = url.startsWith('https:');
  const proxy = isTls && tlsProxy ? tlsProxy : generalProxy;
  if (!proxy) return undefined;
  const { href } = new URL(proxy);
  const withoutPassword = href.replace(/[^/]*@/, '');
  return withoutPassword.replace(/\/$/, '');
}
