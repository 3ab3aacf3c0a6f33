export const PAGE_SIZE = 100;

/** Links repeat offsets beyond the range of `number`. */
export type Integer = number | bigint;

export interface PageRange<N extends Integer = Integer> {
  readonly limit: N;
  readonly offset: N;
}

/** Lists the offsets of built pages. An empty kind has one page. */
export function pageOffsets(count: number): number[] {
  const offsets = [0];
  for (let offset = PAGE_SIZE; offset < count; offset += PAGE_SIZE) offsets.push(offset);
  return offsets;
}

/** Returns the range after this one; null if it begins after the last record. */
export function getNextRange({ limit, offset }: PageRange, count: number): PageRange | null {
  const nextOffset = BigInt(offset) + BigInt(limit);
  if (nextOffset >= count) return null;
  return { limit, offset: toSafeInteger(nextOffset) };
}

/** Returns the range before this one, which may overlap it; null if this one is the first. */
export function getPreviousRange({ limit, offset }: PageRange): PageRange | null {
  if (offset <= 0) return null;
  const previousOffset = BigInt(offset) - BigInt(limit);
  if (previousOffset <= 0) return { limit, offset: 0 };
  return { limit, offset: toSafeInteger(previousOffset) };
}

/** Returns a number if it is exact. */
function toSafeInteger(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The last value of a repeated parameter wins. */
export function parsePageRange(query: URLSearchParams): PageRange {
  const sentLimit = readInteger(query, 'limit');
  const sentOffset = readInteger(query, 'offset');
  const limit = sentLimit > 0 ? sentLimit : PAGE_SIZE;
  const offset = sentOffset > 0 ? sentOffset : 0;
  return { limit, offset };
}

/** Accepts an optional sign and at most 4300 digits, as the reference framework does. */
function readInteger(query: URLSearchParams, name: string): Integer {
  const text = query.getAll(name).at(-1) ?? '';
  const isInteger = /^[+-]?\d{1,4300}$/.test(text);
  if (!isInteger) return 0;
  return toSafeInteger(BigInt(text));
}
