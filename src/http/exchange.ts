/**
 * One request and the whole of its answer, by undici's own interface of events. Its `request` makes a stream and a signal for
 * each answer; for thousands of small ones those cost more than the answers.
 */

import type { Dispatcher } from 'undici';

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** The largest body that is read, as it arrives, by what comes before it. */
  maxBytes(headers: Headers): number;
  /** The longest wait for all of the answer, in milliseconds. */
  readonly totalMs: number;
  /** Called as soon as an answer begins. */
  readonly onStart: () => void;
}

export type Headers = Dispatcher.ResponseData['headers'];

export interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No complete answer in time. */
export class Overdue extends Error {}

/**
 * Sends a GET, and resolves to what it is answered with. Rejects with what undici has against it, with `Overdue`, or with a
 * `RangeError` with code `ERR_BUFFER_TOO_LARGE` at the first part of a body that is too much.
 */
export function exchange(url: string, options: ExchangeOptions): Promise<Exchanged> {
  const { dispatcher, headers: sent, maxBytes, totalMs, onStart } = options;
  const { origin, pathname, search } = new URL(url);
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
      () => abort(new Overdue(`no complete answer within ${totalMs / 1000} s`)),
      totalMs,
    );
    dispatcher.dispatch(
      { origin, path: pathname + search, method: 'GET', headers: { ...sent } },
      {
        onRequestStart(started) {
          controller = started;
          if (failure) started.abort(failure);
        },
        onResponseStart(_, answered, received) {
          onStart();
          status = answered;
          headers = received;
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
        },
        onResponseError(_, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}
