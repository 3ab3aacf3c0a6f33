import type { PageRange } from '../../contract/page-range.ts';
import type { ListPage } from '../../contract/paths.ts';
import { groupDigits, pluralize } from '../../contract/words.ts';
import { parseLink, readPageRange, replacePageRange } from './address.ts';

/**
 * Describes the visible page of a list, and contains the addresses of other pages. An
 * address is undefined if there is no such page.
 */
export interface Pager {
  /** The range of visible records, such as `Records 1 to 100 of 954`. */
  readonly summary: string;
  readonly first: string | undefined;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly last: string | undefined;
}

/** Describes which part of a list a page shows, and which pages it links to. */
export function describePager(address: string, page: ListPage): Pager {
  const { count, results } = page;
  const { limit, offset } = readPageRange(address);
  const lastOffset = findLastOffset(count, limit);
  const firstPage = replacePageRange(address, { limit, offset: 0 });
  const lastPage = replacePageRange(address, { limit, offset: lastOffset });
  return {
    summary: summarizeRange(offset, results.length, count),
    first: offset === 0 ? undefined : firstPage,
    previous: parseLink(page.previous ?? ''),
    next: parseLink(page.next ?? ''),
    last: offset === lastOffset ? undefined : lastPage,
  };
}

function findLastOffset(count: number, limit: number): number {
  if (count === 0) return 0;
  const lastRecord = count - 1;
  return lastRecord - (lastRecord % limit);
}

function summarizeRange(offset: number, shown: number, count: number): string {
  const total = groupDigits(count);
  if (count === 0) return 'No records';
  if (shown === 0)
    return `No records at offset ${offset}, because the list has ${total}`;
  const first = groupDigits(offset + 1);
  const last = groupDigits(offset + shown);
  return `Records ${first} to ${last} of ${total}`;
}

/** Returns a list's title, such as `All items, page 2`. */
export function titleList(kind: string, { limit, offset }: PageRange): string {
  const title = `All ${pluralize(kind)}`;
  const isWholePage = offset > 0 && offset % limit === 0;
  return isWholePage ? `${title}, page ${offset / limit + 1}` : title;
}
