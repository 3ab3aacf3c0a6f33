/** Windows: the part of a list that a request selects by limit and offset, and the ones before and after it. */

/** The default `limit`, and the size of built pages. */
export const PAGE_SIZE = 100;

/** An integer of any size: clients may send offsets beyond the range of `number`, which reappear in links. */
export type Integer = number | bigint;

/** `limit` records from the zero-based `offset` on. */
export interface PageRange<N extends Integer = Integer> {
  readonly limit: N;
  readonly offset: N;
}

/** The offsets of built pages: multiples of the page size; an empty kind has one, empty page. */
export function pageOffsets(count: number): number[] {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  return Array.from({ length: pages }, (_, page) => page * PAGE_SIZE);
}

/** The window after this one, or null at the end. */
export function getNextRange({ limit, offset }: PageRange, count: number): PageRange | null {
  const next = BigInt(offset) + BigInt(limit);
  return next < count ? { limit, offset: toSafeInteger(next) } : null;
}

/** The window before this one, or null at the start. Its offset is never negative. */
export function getPreviousRange({ limit, offset }: PageRange): PageRange | null {
  if (offset <= 0) return null;
  const previous = BigInt(offset) - BigInt(limit);
  return { limit, offset: previous > 0 ? toSafeInteger(previous) : 0 };
}

/** The same integer as a `number` if it is in range. */
export function toSafeInteger(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The last of repeated parameters counts. An invalid limit counts as the page size, an invalid offset as 0. */
export function parsePageRange(query: URLSearchParams): PageRange {
  const limit = readInteger(query, 'limit');
  const offset = readInteger(query, 'offset');
  return { limit: limit > 0 ? limit : PAGE_SIZE, offset: offset > 0 ? offset : 0 };
}

/** An optional sign and digits, as many as the reference framework takes; anything else is 0. */
function readInteger(query: URLSearchParams, name: string): Integer {
  const text = query.getAll(name).at(-1) ?? '';
  return /^[+-]?\d{1,4300}$/.test(text) ? toSafeInteger(BigInt(text)) : 0;
}
