/**
 * Browsers limit calls of the History API, and throw: Safari after 100 calls in 30 seconds, Firefox
 * after 200 in 10. So we save the state of a page rarely, and a failed call never stops what the
 * user asked for.
 */

import { getRelativeUrl } from './page-url.ts';

const INTERVAL_MS = 1000;

export interface RareSave {
  /** Saves within a second. Further calls until then have no effect. */
  schedule(): void;
  /** Saves now if a save is scheduled. */
  flush(): void;
  /** Saves now. */
  now(): void;
  /** Discards a scheduled save, because the page has another state. */
  cancel(): void;
}

export function createRareSave(save: () => void): RareSave {
  let timer: ReturnType<typeof setTimeout> | undefined;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
  }
  function now(): void {
    cancel();
    try {
      save();
    } catch {
      // The page works without its saved state.
    }
  }
  function schedule(): void {
    timer ??= setTimeout(now, INTERVAL_MS);
  }
  function flush(): void {
    if (timer !== undefined) now();
  }
  return { schedule, flush, now, cancel };
}

/** The part of `history` that adds entries. */
interface SessionHistory {
  pushState(state: null, title: '', url: string): void;
}

/**
 * Adds an entry to the history. Returns false if the browser refuses, so that the caller can let it
 * follow the link.
 */
export function pushUrl(history: SessionHistory, href: string): boolean {
  try {
    history.pushState(null, '', getRelativeUrl(href));
    return true;
  } catch {
    return false;
  }
}
