/** Numbers as people read them, the same on every machine. */

/** `3160` → `3,160` */
export const groupDigits = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 item`, `954 items`, `2 retries`: the plural ends in -s unless given. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${groupDigits(count)} ${count === 1 ? one : many}`;

/** A size in bytes → `824 kB`, in units of a thousand. */
export function readableSize(bytes: number, blank = ' '): string {
  if (bytes < 1000) return `${bytes}${blank}B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)}${blank}kB`;
  return `${(bytes / 1e6).toFixed(1)}${blank}MB`;
}

/** Seconds to the millisecond. @param started by `performance.now()` */
export const secondsSince = (started: number): number => Math.round(performance.now() - started) / 1000;
