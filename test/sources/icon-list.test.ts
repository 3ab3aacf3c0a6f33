import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyRecords } from '../../src/dataset/data-set.ts';
import { tableNames } from '../../src/sources/csv.ts';
import { findIconListUrl } from '../../src/sources/icon-list.ts';
import type { RawRecord } from '../../src/sources/normalize.ts';
import type { EarlierRecords, SourceContext } from '../../src/sources/source.ts';
import { decodeDataSet } from '../support/decode.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { dataSetOf, rawItem } from '../support/sites.ts';
import { tablesOf, writeClone } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { itemAnswer, range, upstreamOf } from '../support/upstream-data.ts';

/** The tables of an upstream with the items `a`, `b` and `c`. */
const tables = tablesOf(
  upstreamOf({
    move: [],
    item: [
      itemAnswer(1, { name: 'a' }),
      itemAnswer(2, { name: 'b' }),
      itemAnswer(3, { name: 'c' }),
    ],
  }),
);

function toIcon(name: string): string {
  return `sprites/items/${name}.png`;
}

/** Creates the records of an earlier build, with an item for each slug. */
function createEarlierItems(
  icons: Readonly<Record<string, string | null>>,
): AnyRecords {
  const item: RawRecord<'item'>[] = [];
  for (const [slug, sprite] of Object.entries(icons)) {
    item.push(rawItem(item.length + 1, { slug, sprite }));
  }
  return dataSetOf({ item }).records as unknown as AnyRecords;
}

/**
 * Loads the data set, and returns the names of its icons, its warnings and the
 * notices.
 */
async function load(upstream: string, options: Partial<SourceContext> = {}) {
  const { dataSet, notices, requests } = await loadFrom('csv', upstream, options);
  const { records } = decodeDataSet(dataSet);
  const icons = records.item.map((item) => path.basename(item.icon));
  const warnings = dataSet.warnings.map(({ code, id }) => `${code} ${id}`);
  return { icons: icons.join(' '), warnings, notices, requests };
}

/** Creates an icon list in the format of GitHub's API. */
function encodeList(files: readonly string[], truncated = false): string {
  const tree = files.map((file) => ({ path: file, type: 'blob' }));
  return JSON.stringify({ sha: 'x', truncated, tree });
}

interface ListResponse {
  status?: number;
  body: string;
  retryAfter?: string;
}

/** Serves the tables and the given icon list. */
async function serve(list: ListResponse) {
  const server = await startServer((response, { url = '' }) => {
    if (!url.startsWith('/list')) {
      const { pathname } = new URL(url, 'http://tables.test');
      response.end(tables[path.basename(pathname)]);
      return;
    }
    if (list.retryAfter) response.setHeader('Retry-After', list.retryAfter);
    response.writeHead(list.status ?? 200);
    response.end(list.body);
  });
  function countLists(): number {
    const paths = server.requests.map((request) => request.path);
    return paths.filter((requested) => requested.startsWith('/list')).length;
  }
  return {
    ...server,
    upstream: `${server.url}/csv`,
    iconListUrl: `${server.url}/list`,
    countLists,
  };
}

describe('icons in a clone of the upstream', () => {
  it('uses the placeholder for an item whose icon file does not exist', async () => {
    const icons = ['a.png', 'c.png', 'other.png'];
    const folder = writeClone(temporaryFolder(), tables, icons);
    expect(await load(folder)).toMatchObject({
      icons: 'a.png unknown.png c.png',
      warnings: ['no-icon 2'],
      notices: [],
    });
  });

  const withX = createEarlierItems({ b: toIcon('x') });
  const withY = createEarlierItems({ b: toIcon('y') });
  const withPlaceholder = createEarlierItems({ b: null });

  it.each<[name: string, EarlierRecords, expected: string]>([
    ['published', { published: withX, bundled: undefined }, 'x.png'],
    ['bundled', { published: undefined, bundled: withY }, 'y.png'],
    [
      'published rather than the bundled',
      { published: withX, bundled: withY },
      'x.png',
    ],
    [
      'published, even if that is the placeholder,',
      { published: withPlaceholder, bundled: withY },
      'unknown.png',
    ],
  ])(
    'keeps the %s icon of an item if the clone contains no icons',
    async (_, earlier, expected) => {
      const folder = writeClone(temporaryFolder(), tables, []);
      const { icons } = await load(folder, { readEarlier: () => earlier });
      expect(icons).toBe(`unknown.png ${expected} unknown.png`);
    },
  );

  it.each([
    { problem: 'contains no icons', hasFolder: true, reason: ': got no icons' },
    { problem: 'does not exist', hasFolder: false, reason: ' does not exist' },
  ])('reports the folder of icons if it $problem', async ({ hasFolder, reason }) => {
    const clone = temporaryFolder();
    const folder = writeClone(clone, tables, []);
    const sprites = path.join(clone, 'sprites');
    if (!hasFolder) rmSync(sprites, { recursive: true });
    const { notices } = await load(folder);
    const itemSprites = path.join(sprites, 'sprites', 'items');
    expect(notices).toEqual([`could not check 3 icons: ${itemSprites}${reason}`]);
  });

  /** Loads a clone with the icon for `a` and with some of 200 bundled icons. */
  function loadWithBundledIcons(count: number) {
    const bundledIcons: Record<string, string> = {};
    for (const id of range(1, 200))
      bundledIcons[`known-${id}`] = toIcon(`known-${id}`);
    const earlier: EarlierRecords = {
      published: undefined,
      bundled: createEarlierItems(bundledIcons),
    };
    const remainingIcons = Object.values(bundledIcons).slice(0, count);
    const icons = [toIcon('a'), ...remainingIcons];
    const folder = writeClone(temporaryFolder(), tables, icons);
    return load(folder, { readEarlier: () => earlier });
  }

  it('uses an icon folder if 1 % of the bundled icons are missing', async () => {
    expect(await loadWithBundledIcons(198)).toMatchObject({
      icons: 'a.png unknown.png unknown.png',
      notices: [],
    });
  });

  it('ignores an icon folder if more than 1 % of the bundled icons are missing', async () => {
    expect(await loadWithBundledIcons(197)).toMatchObject({
      icons: 'unknown.png unknown.png unknown.png',
      notices: [
        expect.stringContaining('got a list without 3 of 200 known icons, expected'),
      ],
    });
  });
});

describe('an icon list at a URL', () => {
  const listWithA = { body: encodeList(['a.png', 'gen3']) };

  it('requests the icon list once, after all tables', async () => {
    const { upstream, iconListUrl, requests, countLists } = await serve(listWithA);
    expect(await load(upstream, { iconListUrl })).toMatchObject({
      icons: 'a.png unknown.png unknown.png',
      warnings: ['no-icon 2', 'no-icon 3'],
      notices: [],
      requests: { requests: 2 * tableNames.length + 1 },
    });
    expect(requests.at(-1)?.path).toBe('/list');
    expect(countLists()).toBe(1);
  });

  it('requests the icon list in every build, even if it is cached', async () => {
    const { upstream, iconListUrl, countLists } = await serve(listWithA);
    const options = { iconListUrl, cacheFolder: temporaryFolder() };
    const first = await load(upstream, options);
    const second = await load(upstream, options);
    expect(second).toMatchObject({ icons: first.icons, notices: [] });
    expect(countLists()).toBe(2);
  });

  const complete = encodeList(['a.png', 'b.png']);
  const truncated = encodeList(['a.png'], true);

  it.each<[name: string, ListResponse, problem: string]>([
    [
      'refused',
      { status: 403, body: '', retryAfter: '60' },
      'got 403 with Retry-After 60 s',
    ],
    [
      'limited',
      { status: 429, body: '', retryAfter: '60' },
      'got 429 with Retry-After 60 s',
    ],
    ['missing', { status: 404, body: '' }, 'got 404, expected 200'],
    ['unavailable', { status: 503, body: '' }, 'got 503, expected 200'],
    ['not JSON', { body: '<html>' }, 'expected JSON'],
    [
      'another response',
      { body: '{"message":"x"}' },
      'expected the list of a folder',
    ],
    ['truncated', { body: truncated }, 'got a truncated list'],
    ['empty', { body: encodeList([]) }, 'got no icons'],
  ])(
    'uses the cached list without a retry if the new list is %s',
    async (_, broken, problem) => {
      const list: ListResponse = { body: complete };
      const { upstream, iconListUrl, countLists } = await serve(list);
      const options = { iconListUrl, cacheFolder: temporaryFolder(), retries: 3 };
      await load(upstream, options);
      Object.assign(list, broken);
      const published = createEarlierItems({ c: toIcon('x') });
      const earlier = { published, bundled: undefined };
      const later = await load(upstream, { ...options, readEarlier: () => earlier });
      expect(later.icons).toBe('a.png b.png x.png');
      expect(later.notices).toEqual([
        expect.stringContaining('could not check 1 icon: GET '),
      ]);
      expect(later.notices?.[0]).toContain(problem);
      expect(countLists()).toBe(2);
    },
  );

  it('keeps the earlier icons if the list cannot be reached', async () => {
    const { upstream } = await serve({ body: '' });
    const iconListUrl = 'http://127.0.0.1:1/list';
    const bundled = createEarlierItems({ a: toIcon('a') });
    const earlier = { published: undefined, bundled };
    const readEarlier = (): EarlierRecords => earlier;
    const { icons, notices } = await load(upstream, { iconListUrl, readEarlier });
    expect(icons).toBe('a.png unknown.png unknown.png');
    expect(notices).toEqual([
      expect.stringContaining('could not check 3 icons: GET http://127.'),
    ]);
  });

  it('requests no icon list for tables from another origin', async () => {
    const { upstream, countLists } = await serve({ body: complete });
    const { notices } = await load(upstream);
    expect(countLists()).toBe(0);
    expect(notices).toEqual([
      `could not check 3 icons: ${upstream} has no list of icons`,
    ]);
  });
});

it.each([
  'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv',
  'https://raw.githubusercontent.com/someone/PokeAPI/fix/data/v2/csv',
])('finds the list of icons for tables at %s', (upstream) => {
  expect(findIconListUrl(upstream)).toBe(
    'https://api.github.com/repos/PokeAPI/sprites/git/trees/master:sprites/items',
  );
});

it.each([
  'https://raw.githubusercontent.com/someone/tables/main',
  'https://example.test/pokeapi/data/v2/csv',
])('finds no list of icons for tables at %s', (upstream) => {
  expect(findIconListUrl(upstream)).toBeUndefined();
});
