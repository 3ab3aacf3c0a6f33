export const PAGE_SIZE = 100;

/** Links repeat offsets beyond the range of `number`. */
export type Integer = number | bigint;

export interface PageRange<N extends Integer = Integer> {
  readonly limit: N;
  readonly offset: N;
}

/** Lists the offsets of built pages. An empty kind has one page. */
export function pageOffsets(count: number): number[] {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  return Array.from({ length: pages }, (_, page) => page * PAGE_SIZE);
}

export function getNextRange({ limit, offset }: PageRange, count: number): PageRange | null {
  const next = BigInt(offset) + BigInt(limit);
  return next < count ? { limit, offset: toSafeInteger(next) } : null;
}

export function getPreviousRange({ limit, offset }: PageRange): PageRange | null {
  if (offset <= 0) return null;
  const previous = BigInt(offset) - BigInt(limit);
  return { limit, offset: previous > 0 ? toSafeInteger(previous) : 0 };
}

function toSafeInteger(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The last value of a repeated parameter wins. */
export function parsePageRange(query: URLSearchParams): PageRange {
  const limit = readInteger(query, 'limit');
  const offset = readInteger(query, 'offset');
  return { limit: limit > 0 ? limit : PAGE_SIZE, offset: offset > 0 ? offset : 0 };
}

/** Accepts an optional sign and at most 4300 digits, as the reference framework does. */
function readInteger(query: URLSearchParams, name: string): Integer {
  const text = query.getAll(name).at(-1) ?? '';
  return /^[+-]?\d{1,4300}$/.test(text) ? toSafeInteger(BigInt(text)) : 0;
}
