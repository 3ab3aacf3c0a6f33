import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

export interface RetryStatus {
  /** The number of requests that are waiting for their next attempt. */
  readonly requests: number;
  /**
   * The time until the next of these requests continues, in milliseconds. 0 if none
   * is waiting.
   */
  readonly nextInMs: number;
}

/**
 * Decides when requests are sent. It limits the number of concurrent requests, and
 * sends none while the upstream asks for a pause.
 */
export interface Pacing {
  /** Sends a request as soon as a slot is free and every pause is over. */
  send<T>(request: () => Promise<T>): Promise<T>;
  /**
   * Delays all requests that are sent from now on. If there are several pauses, the
   * one that ends last applies.
   */
  pause(ms: number): void;
  waitToRetry(ms: number): Promise<void>;
  getRetryStatus(): RetryStatus;
  /** Rejects every request that is waiting. */
  stop(): void;
}

/**
 * Creates the pacing for one client. A request first takes a slot and then waits for
 * the end of the pause, so a pause also stops requests that already have a slot. A
 * request that waits for its retry occupies no slot, so other requests continue.
 */
export function createPacing(concurrency: number): Pacing {
  const limit = pLimit(concurrency);
  const stopped = new AbortController();
  // Hundreds of requests may wait at the same time, which would otherwise trigger
  // Node's warning about a memory leak.
  setMaxListeners(0, stopped.signal);
  const waitingRetries = new Set<{ readonly endsAt: number }>();
  let pausedUntil = 0;

  const wait = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopped.signal });

  return {
    send<T>(request: () => Promise<T>): Promise<T> {
      return limit(async () => {
        // If there is no pause, nothing is awaited here, so the request is sent
        // before the previous body is decoded.
        let leftMs = pausedUntil - Date.now();
        while (leftMs > 0) {
          await wait(leftMs);
          // Another response may have extended the pause in the meantime.
          leftMs = pausedUntil - Date.now();
        }
        return request();
      });
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, Date.now() + ms);
    },
    async waitToRetry(ms) {
      const retry = { endsAt: Date.now() + ms };
      waitingRetries.add(retry);
      try {
        await wait(ms);
      } finally {
        waitingRetries.delete(retry);
      }
    },
    getRetryStatus() {
      if (waitingRetries.size === 0) return { requests: 0, nextInMs: 0 };
      let nextEnd = Number.POSITIVE_INFINITY;
      for (const { endsAt } of waitingRetries) nextEnd = Math.min(nextEnd, endsAt);
      const leftMs = nextEnd - Date.now();
      return { requests: waitingRetries.size, nextInMs: Math.max(0, leftMs) };
    },
    stop() {
      stopped.abort();
    },
  };
}
