/** A cache of bytes up to a total size: the least recently used go first. */

export interface SizedCache<T> {
  get(key: string): T | undefined;
  /** Not kept if it is larger than the whole cache may be. */
  keep(key: string, value: T, bytes: number): void;
}

export function createSizedCache<T>(maxBytes: number): SizedCache<T> {
  const kept = new Map<string, { readonly value: T; readonly bytes: number }>();
  let total = 0;

  return {
    get(key) {
      const found = kept.get(key);
      if (!found) return undefined;
      // Moved to the end: the first is the least recently used.
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    keep(key, value, bytes) {
      total += bytes - (kept.get(key)?.bytes ?? 0);
      kept.delete(key);
      kept.set(key, { value, bytes });
      for (const [oldest, entry] of kept) {
        if (total <= maxBytes) return;
        kept.delete(oldest);
        total -= entry.bytes;
      }
    },
  };
}
