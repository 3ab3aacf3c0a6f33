/** Windows of a list: which part of the records a request sees, and which windows come before and after it. */

/** How many records a list page holds where `limit` is left out. */
export const PAGE_SIZE = 100;

/** A whole number of any size: clients may ask for offsets that no `number` holds, and get them back in links. */
export type Whole = number | bigint;

/** A part of a list: `limit` records from the zero-based `offset` on. */
export interface Window<N extends Whole = Whole> {
  readonly limit: N;
  readonly offset: N;
}

/** The offsets of the pages that are built: multiples of the page size; an empty kind has one, empty page. */
export function pageOffsets(count: number): number[] {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  return Array.from({ length: pages }, (_, page) => page * PAGE_SIZE);
}

/** The window after this one, or null where nothing is left. */
export function nextWindow({ limit, offset }: Window, count: number): Window | null {
  const next = BigInt(offset) + BigInt(limit);
  return next < count ? { limit, offset: narrow(next) } : null;
}

/** The window before this one, or null at the start. A shorter way back than `limit` leads to offset 0. */
export function previousWindow({ limit, offset }: Window): Window | null {
  if (offset <= 0) return null;
  const previous = BigInt(offset) - BigInt(limit);
  return { limit, offset: previous > 0 ? narrow(previous) : 0 };
}

/** The same number as a `number` where that holds it. */
export function narrow(value: bigint): Whole {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
