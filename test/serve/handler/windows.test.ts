import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly { readonly id: number }[];
}

const site = handledSite(recordsWithGaps());
const read = async (path: string): Promise<Page> => (await (await site.ask(path)).json()) as Page;

describe('any window', () => {
  it('is a plain slice of all the records, with exact links', async () => {
    const all = await read('/api/gamedata/item/?limit=5000');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2400 }), fc.nat({ max: 2400 }), async (limit, offset) => {
        const page = await read(`/api/gamedata/item/?limit=${limit}&offset=${offset}`);
        const link = (start: number) =>
          `https://example.test/api/gamedata/item/?format=api&limit=${limit}&offset=${start}`;
        expect(page).toEqual({
          count: 2223,
          next: offset + limit < 2223 ? link(offset + limit) : null,
          previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
          results: all.results.slice(offset, offset + limit),
        });
      }),
      { numRuns: 200 },
    );
  });

  it('holds the records byte for byte as they are built', async () => {
    const built = await (await site.ask('/api/gamedata/item/?offset=300')).text();
    const assembled = await (await site.ask('/api/gamedata/item/?limit=101&offset=300')).text();
    const records = (text: string) => text.slice(text.indexOf('"results":[') + 11, -2);
    expect(records(assembled).startsWith(`${records(built)},{"url":`)).toBe(true);
  });

  it.each([1, 7, 99, 100, 101, 250])(
    'of %i records leads through the whole list, and back',
    async (limit) => {
      const seen: number[] = [];
      let link: string | null = `https://example.test/api/gamedata/move/?limit=${limit}`;
      let last = link;
      while (link !== null) {
        last = link;
        const page: Page = await read(link.slice('https://example.test'.length));
        seen.push(...page.results.map(({ id }) => id));
        link = page.next;
      }
      expect(seen).toHaveLength(937);
      expect(seen.every((id, at) => at === 0 || id > (seen[at - 1] ?? 0))).toBe(true);
      let steps = 0;
      for (let back: string | null = last; back !== null; steps++)
        back = (await read(back.slice('https://example.test'.length))).previous;
      expect(steps).toBe(Math.ceil(937 / limit));
    },
  );

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

describe('a window of thousands of records', () => {
  const large = handledSite(rawRecords(7000, 1));
  const list = '/api/gamedata/move/';

  it.each([
    [6500, 0],
    [6900, 50],
    [100_000, 101],
    [6401, 599],
  ])('of %i from %i on is the same, although it is streamed', async (limit, offset) => {
    const all: unknown[] = [];
    for (let start = 0; start < 7000; start += 5000)
      all.push(
        ...(JSON.parse(await (await large.ask(`${list}?limit=5000&offset=${start}`)).text()) as Page).results,
      );
    const text = await (await large.ask(`${list}?limit=${limit}&offset=${offset}`)).text();
    const page = JSON.parse(text) as Page;
    expect(JSON.stringify(page)).toBe(text);
    expect(page.results).toEqual(all.slice(offset, offset + limit));
    expect([page.count, page.previous === null]).toEqual([7000, offset === 0]);
  });

  it('has an ETag without reading it, and no body where none is wanted', async () => {
    const path = `${list}?limit=7000`;
    const etag = (await large.ask(path)).headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await large.ask(`${list}?limit=6999`)).headers.get('ETag')).not.toBe(etag);
    large.reads.length = 0;
    const known = await large.ask(path, { headers: { 'If-None-Match': etag } });
    const head = await large.ask(path, { method: 'HEAD' });
    expect([known.status, known.body, head.status, head.body]).toEqual([304, null, 200, null]);
    expect(new Set(large.reads).size).toBe(3);
  });

  it('is read as fast as it is taken, and no further', async () => {
    large.reads.length = 0;
    const { body } = await large.ask(`${list}?limit=7000`);
    const reader = body?.getReader();
    for (let taken = 0; taken < 5; taken++) await reader?.read();
    expect(large.reads.length).toBeLessThan(12);
    await reader?.cancel();
    expect(large.reads.length).toBeLessThan(12);
  });

  it('breaks off where a page is missing', async () => {
    const broken = handledSite(rawRecords(7000, 1));
    (broken.files as Map<string, unknown>).delete('api/gamedata/move/offset/6000/index.json');
    const response = await broken.ask(`${list}?limit=7000`);
    await expect(response.text()).rejects.toThrow('offset/6000/index.json is missing');
  });
});

describe('what a window costs', () => {
  const readsOf = async (over: typeof site, path: string): Promise<string[]> => {
    over.reads.length = 0;
    await over.ask(path);
    return [...over.reads];
  };

  it('is one file for a built page', async () => {
    expect(await readsOf(site, '/api/gamedata/item/?offset=1000&limit=100')).toEqual([
      'api/gamedata/item/offset/1000/index.json',
    ]);
  });

  it.each([1, 5, 50])('is as many files for a list %i times as long', async (times) => {
    const list = handledSite(rawRecords(200 * times, 1));
    expect(await readsOf(list, '/api/gamedata/move/?offset=95&limit=10')).toEqual([
      'api/gamedata/move/index.json',
      'api/gamedata/index.json',
      'api/gamedata/move/index.json',
      'api/gamedata/move/offset/100/index.json',
    ]);
  });

  it('rises with the pages that it touches, and with nothing else', async () => {
    for (const pages of [1, 2, 5, 20]) {
      const reads = await readsOf(site, `/api/gamedata/item/?offset=100&limit=${pages * 100 - 1}`);
      expect(new Set(reads).size).toBe(pages + 2);
    }
  });

  it('is the same past the end, however far', async () => {
    const near = await readsOf(site, '/api/gamedata/item/?offset=2224&limit=5');
    const far = await readsOf(
      site,
      `/api/gamedata/item/?offset=${'9'.repeat(4000)}&limit=${'9'.repeat(4000)}`,
    );
    expect(far).toEqual(near);
  });
});
