import { describe, expect, it } from 'vitest';
import { describePager, titleList } from '../../../src/web/browse/pager.ts';

const LIST = '/api/gamedata/item/';

function getAddress(limit: number, offset: number): string {
  return `${LIST}?format=api&limit=${limit}&offset=${offset}`;
}

/** Describes the pager of a list page that contains some of a list's records. */
function describeItemPager(query: string, count: number, recordsOnPage: number) {
  const results = Array(recordsOnPage).fill({});
  const page = { count, next: null, previous: null, results };
  return describePager(LIST + query, page);
}

describe('describePager', () => {
  it.each([
    ['', 954, 100, 'Records 1 to 100 of 954'],
    ['?offset=900', 954, 54, 'Records 901 to 954 of 954'],
    ['?limit=1000&offset=1000', 2500, 1000, 'Records 1,001 to 2,000 of 2,500'],
    ['?offset=9000', 954, 0, 'No records at offset 9000, because the list has 954'],
    ['', 0, 0, 'No records'],
  ])(
    'summarizes the range of records for the query %j',
    (query, count, recordsOnPage, summary) => {
      const pager = describeItemPager(query, count, recordsOnPage);
      expect(pager.summary).toBe(summary);
    },
  );

  it.each([
    ['on the first page', '', undefined, getAddress(100, 900)],
    ['on the last page', '?offset=900', getAddress(100, 0), undefined],
    ['between pages', '?limit=50&offset=30', getAddress(50, 0), getAddress(50, 950)],
    ['with a limit above the count', '?limit=9999', undefined, undefined],
  ])(
    'links to the first and the last page of a list %s',
    (_, query, first, last) => {
      expect(describeItemPager(query, 954, 1)).toMatchObject({ first, last });
    },
  );

  it('links to the first page if an empty list has an offset', () => {
    const firstPage = getAddress(100, 0);
    const pager = describeItemPager('?offset=5', 0, 0);
    expect(pager).toMatchObject({ first: firstPage, last: firstPage });
  });

  it('uses the links in the response for the next and previous page', () => {
    const next = `https://any.test/games${getAddress(100, 200)}`;
    const page = { count: 954, next, previous: null, results: [{}] };
    const pager = describePager(getAddress(100, 100), page);
    expect(pager).toMatchObject({ next: getAddress(100, 200), previous: undefined });
  });
});

describe('titleList', () => {
  it.each([
    [100, 0, 'All items'],
    [100, 200, 'All items, page 3'],
    [50, 30, 'All items'],
  ])(
    'returns the title of a list with limit %s and offset %s',
    (limit, offset, title) => {
      expect(titleList('item', { limit, offset })).toBe(title);
    },
  );
});
