import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { errorCode, UsageError } from '../errors.ts';

/** The limits of connections. All times are in milliseconds. */
export interface ConnectionLimits {
  /** The maximum number of connections to an origin or to the proxy. */
  readonly connections: number;
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  /** The maximum time between parts of a body. */
  readonly bodyTimeout: number;
}

export interface Connections {
  readonly dispatcher: Dispatcher;
  /** Returns the proxy for requests to a URL, without the proxy's password. */
  findProxy(url: string): string | undefined;
}

/**
 * The timeout for connecting to one of a host's addresses. Node's default of 250 ms
 * is too short for slow networks.
 */
const ADDRESS_TIMEOUT_MS = 1000;

/**
 * Creates the connections to the upstream. If the environment configures a proxy,
 * they go through the proxy. undici decides which hosts `NO_PROXY` excludes, and
 * calls `createPool` for each origin. We set our limits in `createPool`, because
 * undici does not pass them on to proxy connections.
 *
 * @throws UsageError if an environment variable does not contain a proxy URL
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
    // undici passes a function only for connections through a proxy.
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
    // The error does not quote the value, because it may contain a password.
    const problem = 'expected a proxy URL, such as http://127.0.0.1:8080';
    throw new UsageError(`HTTP_PROXY or HTTPS_PROXY: ${problem}`, { cause });
  }
}

/**
 * Corrects how undici reports two failures. If a proxy closes the connection instead
 * of opening a tunnel, undici would retry indefinitely, so we replace the error
 * code. If a server sends a TLS alert after the handshake because it requires a
 * client certificate, undici would only report a closed connection. We destroy the
 * socket with the alert first, so that undici reports the alert.
 */
function keepCause(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      const isClosedByProxy =
        error !== null && errorCode(error) === 'UND_ERR_SOCKET';
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
