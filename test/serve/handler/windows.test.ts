import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

interface Page {
  readonly next: string | null;
  readonly results: readonly { readonly id: number }[];
}

const site = handledSite(recordsWithGaps());
const textOf = async (query: string): Promise<string> =>
  (await site.ask(`/api/gamedata/item/?${query}`)).text();

describe('any window', () => {
  it('is a plain slice of all the records, with exact links', async () => {
    const all: Page = JSON.parse(await textOf('limit=100000'));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2400 }), fc.nat({ max: 2400 }), async (limit, offset) => {
        const link = (start: number) =>
          `https://example.test/api/gamedata/item/?format=api&limit=${limit}&offset=${start}`;
        const page = {
          count: 2223,
          next: offset + limit < 2223 ? link(offset + limit) : null,
          previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
          results: all.results.slice(offset, offset + limit),
        };
        expect(await textOf(`limit=${limit}&offset=${offset}`)).toBe(JSON.stringify(page));
      }),
    );
  });

  it('of an empty kind is empty', async () => {
    const empty = handledSite(rawRecords(0, 1));
    for (const query of ['', 'limit=7', 'limit=100&offset=0']) {
      expect(await (await empty.ask(`/api/gamedata/move/?${query}`)).text()).toBe(
        '{"count":0,"next":null,"previous":null,"results":[]}',
      );
    }
  });

  it('is right if links are those of files: they lead to the endpoints, since code runs', async () => {
    const files = handledSite(recordsWithGaps(), { links: 'file' });
    const page = (await (await files.ask('/api/gamedata/move/?limit=5')).json()) as Page;
    expect(page.next).toBe('https://example.test/api/gamedata/move/?format=api&limit=5&offset=5');
  });
});

describe('the Link header of a page', () => {
  const urlOf = (query: string) => `https://example.test/api/gamedata/item/?${query}`;
  const linkOf = async (query: string) =>
    (await site.ask(`/api/gamedata/item/?${query}`)).headers.get('Link');

  it.each([
    ['', 'format=api&limit=100', { next: 100, first: 0, last: 2200 }],
    ['offset=100', 'format=api&limit=100', { next: 200, prev: 0, first: 0, last: 2200 }],
    ['offset=2200', 'format=api&limit=100', { prev: 2100, first: 0, last: 2200 }],
    ['offset=5000', 'format=api&limit=100', { prev: 4900, first: 0, last: 2200 }],
    ['limit=741', 'format=api&limit=741', { next: 741, first: 0, last: 1482 }],
    ['format=json', 'format=json&limit=100', { next: 100, first: 0, last: 2200 }],
  ])('of ?%s leads to the others', async (query, rest, offsets) => {
    const links = Object.entries(offsets).map(
      ([rel, offset]) => `<${urlOf(`${rest}&offset=${offset}`)}>; rel="${rel}"`,
    );
    expect(await linkOf(query)).toBe(links.join(', '));
  });

  it('is missing where there are no others, and beside records', async () => {
    expect(await linkOf('limit=3000')).toBe(null);
    expect((await site.ask('/api/gamedata/')).headers.get('Link')).toBe(null);
    expect((await site.ask('/api/gamedata/item/poke-ball/')).headers.get('Link')).toBe(null);
  });

  it('is the same for HEAD and if nothing has changed', async () => {
    const get = await site.ask('/api/gamedata/item/');
    const headers = { 'If-None-Match': get.headers.get('ETag') ?? '' };
    for (const init of [{ method: 'HEAD' }, { headers }])
      expect((await site.ask('/api/gamedata/item/', init)).headers.get('Link')).toBe(get.headers.get('Link'));
  });
});

describe('what a window costs', () => {
  const readsOf = async (over: typeof site, path: string): Promise<string[]> => {
    over.reads.length = 0;
    await over.ask(path);
    return [...new Set(over.reads)];
  };

  it('is one file for a built page', async () => {
    expect(await readsOf(site, '/api/gamedata/item/?offset=1000&limit=100')).toEqual([
      'api/gamedata/item/offset/1000/index.json',
    ]);
  });

  it('is the pages that it touches, the first and the root, however long the list is', async () => {
    for (const times of [1, 10]) {
      const list = handledSite(rawRecords(200 * times, 1));
      expect(await readsOf(list, '/api/gamedata/move/?offset=95&limit=10')).toEqual([
        'api/gamedata/move/index.json',
        'api/gamedata/index.json',
        'api/gamedata/move/offset/100/index.json',
      ]);
    }
  });
});
