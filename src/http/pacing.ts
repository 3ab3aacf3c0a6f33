import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

export interface RetryStatus {
  /** The number of requests that wait for their next attempt. */
  readonly requests: number;
  /** The time until the next of them continues; 0 if none waits. */
  readonly nextInMs: number;
}

/** Decides when requests are sent: never too many at a time, and none while the upstream wants a pause. */
export interface Pacing {
  /** Sends a request as soon as a slot is free and no pause is left. */
  send<T>(request: () => Promise<T>): Promise<T>;
  /** Delays all requests that are sent later. Of several pauses, the one that ends last counts. */
  pause(ms: number): void;
  waitToRetry(ms: number): Promise<void>;
  getRetryStatus(): RetryStatus;
  /** Rejects everything that waits. */
  stop(): void;
}

export function createPacing(concurrency: number): Pacing {
  const limit = pLimit(concurrency);
  const stopped = new AbortController();
  // Hundreds of requests may wait at the same time, which would trigger Node's warning about a leak.
  setMaxListeners(0, stopped.signal);
  const waitingRetries = new Set<{ readonly endsAt: number }>();
  let pausedUntil = 0;

  const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: stopped.signal });

  return {
    send<T>(request: () => Promise<T>): Promise<T> {
      return limit(async () => {
        // Without a pause, nothing is awaited, so that the request is sent before the previous body is decoded.
        let leftMs = pausedUntil - Date.now();
        while (leftMs > 0) {
          await wait(leftMs);
          // Another response may have prolonged the pause in the meantime.
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
