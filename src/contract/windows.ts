/** Windows of a list: which part of the records a request sees, and which windows come before and after it. */

/** How many records a list page holds where `limit` is left out. */
export const PAGE_SIZE = 100;

/** A part of a list: `limit` records from the zero-based `offset` on. */
export interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** The offsets of the pages that are built: multiples of the page size; an empty kind has one, empty page. */
export function pageOffsets(count: number): number[] {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  return Array.from({ length: pages }, (_, page) => page * PAGE_SIZE);
}

/** The window after this one, or null where nothing is left. */
export function nextWindow({ limit, offset }: Window, count: number): Window | null {
  return offset + limit < count ? { limit, offset: offset + limit } : null;
}

/** The window before this one, or null at the start. A shorter way back than `limit` leads to offset 0. */
export function previousWindow({ limit, offset }: Window): Window | null {
  return offset > 0 ? { limit, offset: Math.max(0, offset - limit) } : null;
}
