/**
 * One request and its complete response, using undici's event interface. undici's `request` creates a stream and a signal
 * for each response, which for thousands of small ones costs more than the responses themselves.
 */

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
export function dispatch(url: string, options: DispatchOptions): Promise<RawResponse> {
  const { dispatcher, method = 'GET', headers: sent, maxBytes, totalMs, onStart } = options;
  const { origin } = new URL(url);
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Headers = {};
    let failure: Error | undefined;
    let bytes = 0;
    let allowed = 0;
    const parts: Buffer[] = [];
    const abort = (error: Error): void => {
      failure = error;
      reject(error);
      controller?.abort(error);
    };
    const timer = setTimeout(
      () => abort(new ResponseTimeout(`no complete response within ${totalMs / 1000} s`)),
      totalMs,
    );
    dispatcher.dispatch(
      { origin, path: targetOf(url), method: method as Dispatcher.HttpMethod, headers: { ...sent } },
      {
        onRequestStart(started) {
          controller = started;
          if (failure) started.abort(failure);
        },
        onResponseStart(_, received, fields) {
          onStart?.();
          status = received;
          headers = fields;
          allowed = maxBytes(headers);
        },
        onResponseData(_, part) {
          bytes += part.length;
          if (bytes > allowed)
            abort(Object.assign(new RangeError('body too large'), { code: 'ERR_BUFFER_TOO_LARGE' }));
          else parts.push(part);
        },
        onResponseEnd() {
          clearTimeout(timer);
          const [first = Buffer.alloc(0), ...more] = parts;
          resolve({ status, headers, body: more.length === 0 ? first : Buffer.concat(parts, bytes) });
          // undici keeps requests that it has sent for a while, and their handlers with them.
          parts.length = 0;
        },
        onResponseError(_, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}

/** Path and query, normalized as in every URL. */
function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
