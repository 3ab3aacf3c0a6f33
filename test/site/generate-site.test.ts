import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { unpackTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import type { SiteFile } from '../../src/contract/meta.ts';
import { compare } from '../../src/data/compare.ts';
import { summarizeNames } from '../../src/data/data-set.ts';
import { emptyHistory, extendHistory } from '../../src/data/history.ts';
import { readBuildAssets } from '../../src/package.ts';
import { generateFiles } from '../../src/site/generate-site.ts';
import { bodyText } from '../support/body.ts';
import { namesIn } from '../support/kinds.ts';
import {
  dataSetOf,
  onlyRaw,
  rawItem,
  rawMove,
  rawRecords,
  type SiteOptions,
  type SomeRecords,
  siteOf,
} from '../support/sites.ts';
import { createStoredData, versionOf } from '../support/stored-data.ts';

const tiny = onlyRaw({
  move: [rawMove(1, { slug: 'pound', englishName: '=SUM(A1), "quoted"' })],
  item: [
    rawItem(4, {
      slug: 'poke-ball',
      englishName: 'Poké Ball <&"/\\> 攻',
      gameIndices: [
        { generation: 2, index: 65 },
        { generation: 2, index: 21 },
      ],
      sprite: 'https://upstream.test/sprites/items/dream/poke-ball.png',
    }),
  ],
});

/**
 * Renders a file as text. The specification and the pages are left out because other
 * tests cover them.
 */
function render({ path, body }: SiteFile): string {
  if (/^(?:openapi|schemas)|\.html$/.test(path)) return `== ${path}\n`;
  if (path.endsWith('.gz')) return `== ${path}\n${hash('sha256', body)}\n`;
  // The rest is the compiled worker, which is the same on every site.
  if (path === 'offline.js') return `== ${path}\n${bodyText(body).split('\n')[1]}\n`;
  const text = bodyText(body).replaceAll('\r', '\\r');
  return `== ${path}\n${text}\n`;
}

// Update the file with `npx vitest run test/site --update`.
it('generates the files in golden-site.txt', async () => {
  const oldVersion = versionOf([rawMove(1, { slug: 'old-pound' })], tiny.item);
  const newVersion = versionOf(tiny.move, tiny.item);
  const changes = compare(oldVersion, newVersion);
  const history = extendHistory(emptyHistory, changes);
  const { meta, oldSlugs } = siteOf(tiny, { history });
  const names = [namesIn('fr', { move: { pound: 'Écras’Face' } })];
  const namesSummary = summarizeNames(names);
  const files = await generateFiles({
    dataSet: {
      ...createStoredData(tiny, { past: { history, oldSlugs } }),
      readNames: () => names,
      namesSummary,
    },
    dataLicense: 'the license\n',
    hosts: [],
    root: '/srv',
    assets: [],
    archive: false,
    meta: { ...meta, names: namesSummary },
    buildAssets: { ...readBuildAssets(), compiled: [] },
  });
  const text = files.map(render).join('');
  await expect(text).toMatchFileSnapshot('golden-site.txt');
});

it('packs every file of the site without an archive, except for web server configuration', async () => {
  const { meta } = siteOf(tiny);
  const site = {
    dataSet: createStoredData(tiny),
    dataLicense: 'the license\n',
    hosts: ['nginx'],
    root: '/srv',
    assets: [{ path: 'own.txt', body: 'own' }],
    meta,
    buildAssets: readBuildAssets(),
  } as const;
  const plainFiles = await generateFiles({ ...site, archive: false });
  const expected = new Map<string, string>();
  for (const { path, body } of plainFiles) {
    if (!path.startsWith('_hosts/')) expected.set(path, bodyText(body));
  }
  const files = await generateFiles({ ...site, archive: true });
  const archive = files.find(({ path }) => path === 'download/gamedata.tar.gz');
  const entries = await unpackTar(gunzipSync(archive?.body ?? ''));
  const packed = new Map<string, string>();
  for (const { header, data = '' } of entries) {
    packed.set(header.name.slice('gamedata/'.length), bodyText(data));
  }
  expect(packed.get('manifest.json')).toContain('"own.txt"');
  packed.delete('manifest.json');
  expect(packed).toEqual(expected);
});

/** Generates a site. Returns the text of each file by its path. */
function generateTexts(raw: SomeRecords, options?: SiteOptions) {
  const texts = new Map<string, string>();
  for (const { path, body } of siteOf(raw, options).files()) {
    texts.set(path, bodyText(body));
  }
  return texts;
}

function getPageFile(offset: number): string {
  const folder = offset > 0 ? `offset/${offset}/` : '';
  return `api/gamedata/move/${folder}index.json`;
}

describe.each(['query', 'file'] as const)('a list page with %s links', (links) => {
  const texts = generateTexts(rawRecords(250, 0), { links });

  function getLink(offset: number): string {
    const path = links === 'file' ? getPageFile(offset) : 'api/gamedata/move/';
    return `https://example.test/${path}?format=api&limit=100&offset=${offset}`;
  }

  it.each([
    { offset: 0, size: 100, next: getLink(100), previous: null },
    { offset: 100, size: 100, next: getLink(200), previous: getLink(0) },
    { offset: 200, size: 50, next: null, previous: getLink(100) },
  ])(
    'links to the next and the previous page at offset $offset',
    ({ offset, size, next, previous }) => {
      const text = texts.get(getPageFile(offset)) ?? '';
      const { results, ...page } = JSON.parse(text);
      expect(page).toEqual({ count: 250, next, previous });
      expect(results).toHaveLength(size);
      expect(results[0].id).toBe(offset + 1);
    },
  );
});

describe('generateFiles for records that share a slug', () => {
  const records = {
    move: [
      ...rawRecords(105, 0).move,
      rawMove(500, { slug: 'move-3', englishName: null }),
    ],
    item: [
      ...rawRecords(0, 20).item,
      rawItem(70, { slug: 'item-2' }),
      rawItem(71, { slug: 'item-2' }),
    ],
  };
  const texts = generateTexts(records);
  const { warnings } = dataSetOf(records);

  function shuffle<T>(values: readonly T[]): fc.Arbitrary<T[]> {
    const { length } = values;
    return fc.shuffledSubarray([...values], {
      minLength: length,
      maxLength: length,
    });
  }

  it("generates the same site for any order of the upstream's records", () => {
    const moves = shuffle(records.move);
    const items = shuffle(records.item);
    const property = fc.property(moves, items, (move, item) => {
      expect(generateTexts({ move, item })).toEqual(texts);
      expect(dataSetOf({ move, item }).warnings).toEqual(warnings);
    });
    fc.assert(property, { numRuns: 20 });
  });

  it('warns about each record whose slug is already in use', () => {
    expect(warnings.map(({ code, id }) => `${code} ${id}`)).toEqual([
      'duplicate-slug 500',
      'missing-name 500',
      'duplicate-slug 70',
      'duplicate-slug 71',
    ]);
  });
});
