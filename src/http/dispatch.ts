/** One request and its complete response. */

import type { Dispatcher } from 'undici';

export interface DispatchOptions {
  readonly dispatcher: Dispatcher;
  /** Default GET. */
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The maximum size of the body on the wire, by the headers that precede it. */
  maxBytes(headers: Headers): number;
  /** The time-out for the complete response, in milliseconds. */
  readonly totalMs: number;
  /** Called as soon as a response starts. */
  readonly onStart?: () => void;
}

export type Headers = Dispatcher.ResponseData['headers'];

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The response was not complete in time. */
export class ResponseTimeout extends Error {}

/**
 * Sends a request. Rejects with undici's error, with `ResponseTimeout`, or with a `RangeError` with code
 * `ERR_BUFFER_TOO_LARGE` as soon as a body exceeds the limit.
 */
export async function dispatch(url: string, options: DispatchOptions): Promise<RawResponse> {
  const { dispatcher, method = 'GET', headers: sent, maxBytes, totalMs, onStart } = options;
  const { origin, pathname, search } = new URL(url);
  const timeout = new AbortController();
  const expire = (): void =>
    timeout.abort(new ResponseTimeout(`no complete response within ${totalMs / 1000} s`));
  const timer = setTimeout(expire, totalMs);
  try {
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: method as Dispatcher.HttpMethod,
      headers: sent,
      signal: timeout.signal,
    });
    const { statusCode: status, headers } = response;
    onStart?.();
    const allowed = maxBytes(headers);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > allowed)
        throw Object.assign(new RangeError('body too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
      parts.push(part);
    }
    return { status, headers, body: Buffer.concat(parts) };
  } finally {
    clearTimeout(timer);
  }
}
