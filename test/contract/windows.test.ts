import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  listPageFile,
  listPath,
  listUrl,
  recordFile,
  recordPath,
  recordUrl,
  rootFile,
} from '../../src/contract/paths.ts';
import {
  nextWindow,
  PAGE_SIZE,
  pageOffsets,
  previousWindow,
  type Window,
} from '../../src/contract/windows.ts';

const count = fc.integer({ min: 0, max: 5000 });
const limit = fc.integer({ min: 1, max: 700 });

/** The records that a window shows, as a plain slice gives them. */
const slice = (total: number, { limit, offset }: Window): number[] =>
  all.slice(0, total).slice(Number(offset), Number(offset) + Number(limit));
const all = Array.from({ length: 5000 }, (_, at) => at);

describe('the built pages', () => {
  it('hold every record once and in order, whatever the count', () => {
    fc.assert(
      fc.property(count, (total) => {
        const seen = pageOffsets(total).flatMap((offset) => slice(total, { limit: PAGE_SIZE, offset }));
        expect(seen).toEqual(slice(total, { limit: total, offset: 0 }));
      }),
    );
  });

  it('start at multiples of the page size and are none of them empty, but for the one of an empty kind', () => {
    fc.assert(
      fc.property(count, (total) => {
        for (const [page, offset] of pageOffsets(total).entries()) {
          expect(offset).toBe(page * PAGE_SIZE);
          expect(offset === 0 || slice(total, { limit: PAGE_SIZE, offset }).length > 0).toBe(true);
        }
      }),
    );
  });

  it.each([
    [0, [0]],
    [1, [0]],
    [100, [0]],
    [101, [0, 100]],
    [200, [0, 100]],
    [937, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900]],
  ])('of %i records start at %j', (total, offsets) => {
    expect(pageOffsets(total)).toEqual(offsets);
  });
});

describe('the windows around a window', () => {
  it('lead through all that is left, forwards', () => {
    fc.assert(
      fc.property(count, limit, fc.nat({ max: 60 }), (total, size, page) => {
        const seen: number[] = [];
        const start = page * PAGE_SIZE;
        for (let at: Window | null = { limit: size, offset: start }; at; at = nextWindow(at, total)) {
          seen.push(...slice(total, at));
          expect(at.limit).toBe(size);
        }
        expect(seen).toEqual(slice(total, { limit: total, offset: start }));
      }),
    );
  });

  it('are where plain sums put them, and none of them is empty', () => {
    fc.assert(
      fc.property(count, limit, fc.nat({ max: 6000 }), (total, size, offset) => {
        const next = nextWindow({ limit: size, offset }, total);
        const previous = previousWindow({ limit: size, offset });
        expect(next).toEqual(offset + size < total ? { limit: size, offset: offset + size } : null);
        expect(previous).toEqual(offset > 0 ? { limit: size, offset: Math.max(0, offset - size) } : null);
        expect(next && slice(total, next)).not.toEqual([]);
      }),
    );
  });

  it('are right at the very end: a window that ends with the last record has none after it', () => {
    fc.assert(
      fc.property(limit, fc.nat({ max: 5000 }), (size, offset) => {
        expect(nextWindow({ limit: size, offset }, offset + size)).toBeNull();
        expect(nextWindow({ limit: size, offset }, offset + size + 1)?.offset).toBe(offset + size);
      }),
    );
  });

  it('are exact if no number holds them', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        (size, offset) => {
          const past = previousWindow({ limit: size, offset });
          expect(BigInt(past?.offset ?? -1)).toBe(offset > size ? offset - size : 0n);
          expect(nextWindow({ limit: size, offset }, 0)).toBeNull();
        },
      ),
    );
  });

  it('lead back to offset 0 without leaving anything out', () => {
    fc.assert(
      fc.property(count, limit, fc.nat({ max: 60 }), (total, size, page) => {
        const seen = new Set<number>();
        let last: Window | null = null;
        for (
          let at = previousWindow({ limit: size, offset: page * PAGE_SIZE });
          at;
          at = previousWindow(at)
        ) {
          for (const record of slice(total, at)) seen.add(record);
          last = at;
        }
        expect(last?.offset ?? null).toBe(page === 0 ? null : 0);
        const before = slice(total, { limit: page * PAGE_SIZE, offset: 0 });
        expect(before.filter((record) => !seen.has(record))).toEqual([]);
      }),
    );
  });

  it('are back where they were after a step forwards and one back', () => {
    fc.assert(
      fc.property(count, fc.nat({ max: 60 }), (total, page) => {
        const here = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
        const next = nextWindow(here, total);
        fc.pre(next !== null);
        expect(next && previousWindow(next)).toEqual(here);
      }),
    );
  });

  it.each<[string, Window, number, Window | null, Window | null]>([
    ['the only page', { limit: 100, offset: 0 }, 100, null, null],
    ['an empty kind', { limit: 100, offset: 0 }, 0, null, null],
    ['the first page', { limit: 100, offset: 0 }, 101, { limit: 100, offset: 100 }, null],
    ['the second page', { limit: 100, offset: 100 }, 200, null, { limit: 100, offset: 0 }],
    [
      'a page in between',
      { limit: 100, offset: 200 },
      937,
      { limit: 100, offset: 300 },
      { limit: 100, offset: 100 },
    ],
    ['a window past the end', { limit: 20, offset: 500 }, 10, null, { limit: 20, offset: 480 }],
    [
      'a window nearer to the start than its limit',
      { limit: 20, offset: 5 },
      50,
      { limit: 20, offset: 25 },
      { limit: 20, offset: 0 },
    ],
  ])('of %s', (_, window, total, next, previous) => {
    expect(nextWindow(window, total)).toEqual(next);
    expect(previousWindow(window)).toEqual(previous);
  });
});

describe('addresses', () => {
  const baseUrl = 'https://example.test/sub';

  it.each([
    [
      'query',
      'a list',
      listUrl({ baseUrl, links: 'query' }, 'move'),
      'https://example.test/sub/api/gamedata/move/?format=api',
    ],
    [
      'query',
      'the second page’s previous',
      listUrl({ baseUrl, links: 'query' }, 'item', { limit: 100, offset: 0 }),
      'https://example.test/sub/api/gamedata/item/?format=api&limit=100&offset=0',
    ],
    [
      'query',
      'a window',
      listUrl({ baseUrl, links: 'query' }, 'item', { limit: 20, offset: 40 }),
      'https://example.test/sub/api/gamedata/item/?format=api&limit=20&offset=40',
    ],
    [
      'query',
      'a record',
      recordUrl({ baseUrl, links: 'query' }, 'move', 'pound'),
      'https://example.test/sub/api/gamedata/move/pound/?format=api',
    ],
    [
      'file',
      'a list',
      listUrl({ baseUrl, links: 'file' }, 'move'),
      'https://example.test/sub/api/gamedata/move/index.json?format=api',
    ],
    [
      'file',
      'the first page',
      listUrl({ baseUrl, links: 'file' }, 'move', { limit: 100, offset: 0 }),
      'https://example.test/sub/api/gamedata/move/index.json?format=api&limit=100&offset=0',
    ],
    [
      'file',
      'a later page',
      listUrl({ baseUrl, links: 'file' }, 'item', { limit: 100, offset: 200 }),
      'https://example.test/sub/api/gamedata/item/offset/200/index.json?format=api&limit=100&offset=200',
    ],
    [
      'file',
      'a record',
      recordUrl({ baseUrl, links: 'file' }, 'item', 'poke-ball'),
      'https://example.test/sub/api/gamedata/item/poke-ball/index.json?format=api',
    ],
  ])('with %s links, of %s', (_, __, got, expected) => {
    expect(got).toBe(expected);
  });

  it('have files behind them', () => {
    expect(listPath('move')).toBe('/api/gamedata/move/');
    expect(recordPath('move', 'pound')).toBe('/api/gamedata/move/pound/');
    expect(rootFile).toBe('api/gamedata/index.json');
    expect(listPageFile('item', 0)).toBe('api/gamedata/item/index.json');
    expect(listPageFile('item', 300)).toBe('api/gamedata/item/offset/300/index.json');
    expect(recordFile('item', 'poke-ball')).toBe('api/gamedata/item/poke-ball/index.json');
  });
});
