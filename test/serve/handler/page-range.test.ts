import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const { send } = handledSite(recordsWithGaps());

interface Page {
  readonly next: string | null;
  readonly results: readonly { readonly id: number }[];
}
const LIST = 'https://example.test/api/gamedata/item/';
const read = async (query: string): Promise<string> =>
  (await send(`/api/gamedata/item/?${query}`)).text;

type Place = readonly [limit: number, offset: number] | null;

describe('limit and offset', () => {
  it.each<
    [query: string, records: number, ids: string, next: Place, previous: Place]
  >([
    ['', 100, '1-100', [100, 100], null],
    ['limit=%2B5', 5, '1-5', [5, 5], null],
    ['offset=2300', 0, 'none', null, [100, 2200]],
    [
      'limit=9007199254740991&offset=2222',
      1,
      '2279-2279',
      null,
      [Number.MAX_SAFE_INTEGER, 0],
    ],
    ['limit=0&offset=30', 100, '31-130', [100, 130], [100, 0]],
    ['limit=10&limit=20', 20, '1-20', [20, 20], null],
    ['offset=100&zoo=1&alpha=2', 100, '101-200', [100, 200], [100, 0]],
    ['format=json&offset=100', 100, '101-200', [100, 200], [100, 0]],
    ['format=&limit=5', 5, '1-5', [5, 5], null],
  ])(
    'returns the right records and links for ?%s',
    async (query, records, ids, next, previous) => {
      const page = JSON.parse(await read(query));
      const format = new URLSearchParams(query).getAll('format').at(-1) || 'api';
      const link = (place: Place) =>
        place && `${LIST}?format=${format}&limit=${place[0]}&offset=${place[1]}`;
      expect(Object.keys(page)).toEqual(['count', 'next', 'previous', 'results']);
      expect(page).toMatchObject({
        count: 2223,
        next: link(next),
        previous: link(previous),
      });
      const got = (page as Page).results.map(({ id }) => id);
      expect(got).toHaveLength(records);
      expect(got.length > 0 ? `${got[0]}-${got.at(-1)}` : 'none').toBe(ids);
    },
  );

  it.each([
    ...['limit=0', 'limit=abc', 'limit=1e3', 'offset=-1'],
    ...['limit=20&limit=abc', 'a=b%20c%2Bd%26', 'LIMIT=3', 'limit[]=3'],
    'page=2&search=ball&ordering=-id',
    // Only integers up to 2^53 - 1 are valid.
    ...['limit=9007199254740992', 'offset=9007199254740992'],
    // Unlike our handler, the reference framework accepts blanks, underscores and
    // digits of other scripts.
    ...['limit=%205', 'limit=1_0', 'limit=%EF%BC%95'],
  ])('treats the query %s as a request for the first page', async (query) => {
    expect(await read(query)).toBe(await read(''));
  });

  it('returns all records if the limit exceeds their number', async () => {
    expect(await read('limit=100000')).toBe(await read('limit=2223'));
  });

  it('returns the matching slice of all records for any limit and offset', async () => {
    const all: Page = JSON.parse(await read('limit=100000'));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2400 }),
        fc.nat({ max: 2400 }),
        async (limit, offset) => {
          const link = (start: number) =>
            `${LIST}?format=api&limit=${limit}&offset=${start}`;
          const page = {
            count: 2223,
            next: offset + limit < 2223 ? link(offset + limit) : null,
            previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
            results: all.results.slice(offset, offset + limit),
          };
          expect(await read(`limit=${limit}&offset=${offset}`)).toBe(
            JSON.stringify(page),
          );
        },
      ),
    );
  });

  it.each(['', 'limit=7'])(
    'returns an empty page for a kind without records: ?%s',
    async (query) => {
      const { text } = await handledSite(rawRecords(0, 1)).send(
        `/api/gamedata/move/?${query}`,
      );
      expect(text).toBe('{"count":0,"next":null,"previous":null,"results":[]}');
    },
  );

  it('links to endpoints even if the built pages link to files', async () => {
    const files = handledSite(rawRecords(7, 1), { links: 'file' });
    const { text } = await files.send('/api/gamedata/move/?limit=5');
    expect(JSON.parse(text).next).toBe(
      'https://example.test/api/gamedata/move/?format=api&limit=5&offset=5',
    );
  });
});
