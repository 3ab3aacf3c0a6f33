import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DataSet } from '../../src/data/data-set.ts';
import { tableNames } from '../../src/upstream/csv.ts';
import { findIconListUrl } from '../../src/upstream/icon-list.ts';
import type { RawRecord } from '../../src/upstream/normalize.ts';
import type { SourceContext } from '../../src/upstream/source.ts';
import { decodeDataSet } from '../support/decode.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawItem } from '../support/sites.ts';
import { createStoredData } from '../support/stored-data.ts';
import { tablesOf, writeClone } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { itemAnswer, upstreamOf } from '../support/upstream-data.ts';

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
): DataSet {
  const item: RawRecord<'item'>[] = [];
  for (const [slug, sprite] of Object.entries(icons)) {
    item.push(rawItem(item.length + 1, { slug, sprite }));
  }
  return createStoredData({ item });
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

  it('keeps the published icon of an item if the clone contains no icons', async () => {
    const published = createEarlierItems({ b: toIcon('x'), c: null });
    const folder = writeClone(temporaryFolder(), tables, []);
    const { icons } = await load(folder, { previous: published });
    expect(icons).toBe('unknown.png x.png unknown.png');
  });

  it.each([
    { problem: 'contains no icons', hasFolder: true, reason: ': got no icons' },
    { problem: 'does not exist', hasFolder: false, reason: ': does not exist' },
  ])('reports the icon folder if it $problem', async ({ hasFolder, reason }) => {
    const clone = temporaryFolder();
    const folder = writeClone(clone, tables, []);
    const sprites = path.join(clone, 'sprites');
    if (!hasFolder) rmSync(sprites, { recursive: true });
    const { notices } = await load(folder);
    const itemSprites = path.join(sprites, 'sprites', 'items');
    expect(notices).toEqual([
      `could not check which icons exist: ${itemSprites}${reason}`,
    ]);
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

  it('sends the token in GITHUB_TOKEN only with the request for the list', async () => {
    vi.stubEnv('GITHUB_TOKEN', 'secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { upstream, iconListUrl, requests } = await serve(listWithA);
    await load(upstream, { iconListUrl });
    const tokens = requests.map(({ headers }) => headers.authorization);
    expect(tokens.at(-1)).toBe('Bearer secret');
    expect(tokens.slice(0, -1).every((token) => token === undefined)).toBe(true);
  });

  const complete = encodeList(['a.png', 'b.png']);
  const truncated = encodeList(['a.png'], true);

  it.each<[name: string, ListResponse, problem: string]>([
    [
      'refused',
      { status: 403, body: '', retryAfter: '60' },
      'got 403 with Retry-After 60 s',
    ],
    ['missing', { status: 404, body: '' }, 'got 404, expected 200'],
    ['not JSON', { body: '<html>' }, 'invalid JSON'],
    ['truncated', { body: truncated }, 'got true, expected a complete list'],
    ['empty', { body: encodeList([]) }, 'got no icons'],
  ])(
    'keeps the published icons, without retrying, if the list is %s',
    async (_, list, problem) => {
      const { upstream, iconListUrl, countLists } = await serve(list);
      const published = createEarlierItems({ c: toIcon('x') });
      const options = { iconListUrl, previous: published };
      const { icons, notices } = await load(upstream, options);
      expect(icons).toBe('unknown.png unknown.png x.png');
      expect(notices).toEqual([
        expect.stringContaining('could not check which icons exist: GET '),
      ]);
      expect(notices?.[0]).toContain(problem);
      expect(countLists()).toBe(1);
    },
  );

  it('requests no icon list for tables from another origin', async () => {
    const { upstream, countLists } = await serve({ body: complete });
    const { notices } = await load(upstream);
    expect(countLists()).toBe(0);
    expect(notices).toEqual([
      `could not check which icons exist: ${upstream} has no list of icons`,
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
