/** The connections of every client: bounded, with time-outs, through a proxy if the environment names one. */

import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { UsageError } from '../errors.ts';

/** In milliseconds: for a connection, for headers, between parts of a body, for a complete response. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly body: number;
  readonly total: number;
}

export const defaultTimeouts: Timeouts = { connect: 10_000, headers: 30_000, body: 30_000, total: 60_000 };

/** @throws UsageError if the environment names a proxy that is not a URL */
export function createDispatcher(connections: number, timeouts: Timeouts): Dispatcher {
  try {
    return new EnvHttpProxyAgent({
      connections,
      connect: { timeout: timeouts.connect },
      headersTimeout: timeouts.headers,
      bodyTimeout: timeouts.body,
    });
  } catch (cause) {
    // The value may contain a password, and is not shown.
    throw new UsageError(
      'HTTP_PROXY or HTTPS_PROXY: expected the URL of a proxy, such as http://127.0.0.1:8080',
      { cause },
    );
  }
}
