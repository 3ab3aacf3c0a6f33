/**
 * Browsers limit how often a page may call the History API: Safari throws an error
 * after 100 calls in 30 seconds, Firefox after 200 calls in 10 seconds. So we save a
 * page's state at most once a second, and ignore errors.
 */

import { getRelativeUrl } from './page-url.ts';

const INTERVAL_MS = 1000;

export interface RareSave {
  /**
   * Saves the state within a second. Further calls within that second have no effect.
   */
  schedule(): void;
  /** Saves the state immediately if a save is scheduled. */
  flush(): void;
  /** Saves the state immediately. */
  now(): void;
  /** Cancels a scheduled save, because the page is about to change its state. */
  cancel(): void;
}

/**
 * Creates functions that save the page's state at a limited rate, because browsers
 * limit how often a page may change its history.
 *
 * @param save saves the page's state in the history; it may throw
 */
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
      // The page works even if its state cannot be saved.
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

/** The part of the `history` object that adds entries. */
interface SessionHistory {
  pushState(state: null, title: '', url: string): void;
}

/**
 * Adds an entry to the history. Returns false if the browser throws an error, so
 * that the caller can let the browser follow the link itself.
 */
export function pushUrl(history: SessionHistory, href: string): boolean {
  try {
    history.pushState(null, '', getRelativeUrl(href));
    return true;
  } catch {
    return false;
  }
}
