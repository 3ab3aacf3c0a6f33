export const PAGE_SIZE = 100;

/**
 * An integer of any size. We need `bigint` because links repeat even offsets that
 * exceed the safe range of `number`.
 */
export type Integer = number | bigint;

export interface PageRange<N extends Integer = Integer> {
  readonly limit: N;
  readonly offset: N;
}

/**
 * Lists the offsets of all built pages. A kind without records has one empty page.
 */
export function pageOffsets(count: number): number[] {
  const offsets = [0];
  for (let offset = PAGE_SIZE; offset < count; offset += PAGE_SIZE) {
    offsets.push(offset);
  }
  return offsets;
}

/** Returns the range after this one, or null if there are no more records. */
export function getNextRange(
  { limit, offset }: PageRange,
  count: number,
): PageRange | null {
  const nextOffset = BigInt(offset) + BigInt(limit);
  if (nextOffset >= count) return null;
  return { limit, offset: toSafeInteger(nextOffset) };
}

/**
 * Returns the range before this one, or null if this is the first range. The
 * previous range may overlap this one.
 */
export function getPreviousRange({ limit, offset }: PageRange): PageRange | null {
  if (offset <= 0) return null;
  const previousOffset = BigInt(offset) - BigInt(limit);
  if (previousOffset <= 0) return { limit, offset: 0 };
  return { limit, offset: toSafeInteger(previousOffset) };
}

/** Converts the value to a number if that does not lose precision. */
function toSafeInteger(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * Parses `limit` and `offset`. If a parameter is repeated, its last value is used.
 */
export function parsePageRange(query: URLSearchParams): PageRange {
  const sentLimit = readInteger(query, 'limit');
  const sentOffset = readInteger(query, 'offset');
  const limit = sentLimit > 0 ? sentLimit : PAGE_SIZE;
  const offset = sentOffset > 0 ? sentOffset : 0;
  return { limit, offset };
}

/**
 * Parses an integer with an optional sign and at most 4300 digits, like the
 * reference framework. Returns 0 for any other text.
 */
function readInteger(query: URLSearchParams, name: string): Integer {
  const text = query.getAll(name).at(-1) ?? '';
  const isInteger = /^[+-]?\d{1,4300}$/.test(text);
  if (!isInteger) return 0;
  return toSafeInteger(BigInt(text));
}
