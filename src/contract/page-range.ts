export const PAGE_SIZE = 100;

export interface PageRange {
  readonly limit: number;
  readonly offset: number;
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
  const nextOffset = offset + limit;
  if (nextOffset >= count) return null;
  return { limit, offset: nextOffset };
}

/**
 * Returns the range before this one, or null if this is the first range. The
 * previous range may overlap this one.
 */
export function getPreviousRange({ limit, offset }: PageRange): PageRange | null {
  if (offset <= 0) return null;
  return { limit, offset: Math.max(0, offset - limit) };
}

/**
 * Parses `limit` and `offset`. If a parameter is repeated, its last value is used. A value
 * that is not a positive integer counts as missing.
 */
export function parsePageRange(query: URLSearchParams): PageRange {
  const sentLimit = readInteger(query, 'limit');
  const sentOffset = readInteger(query, 'offset');
  const limit = sentLimit > 0 ? sentLimit : PAGE_SIZE;
  const offset = sentOffset > 0 ? sentOffset : 0;
  return { limit, offset };
}

/**
 * Parses an integer with an optional sign. Returns 0 for any other text, and for
 * integers that a `number` cannot represent exactly.
 */
function readInteger(query: URLSearchParams, name: string): number {
  const text = query.getAll(name).at(-1) ?? '';
  const isInteger = /^[+-]?\d+$/.test(text);
  const value = Number(text);
  return isInteger && Number.isSafeInteger(value) ? value : 0;
}
