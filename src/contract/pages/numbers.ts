/** Numbers as people read them, the same on every machine. */

/** `3160` → `3,160` */
export const groupDigits = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** A size in bytes → `824 kB`, in units of a thousand, with a blank between that does not break. */
export function readableSize(bytes: number): string {
  if (bytes < 1000) return `${bytes}\u00a0B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)}\u00a0kB`;
  return `${(bytes / 1e6).toFixed(1)}\u00a0MB`;
}
