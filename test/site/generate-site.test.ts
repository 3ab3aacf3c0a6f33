import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SiteFile } from '../../src/contract/meta.ts';
import { compare } from '../../src/dataset/compare.ts';
import { summarizeNames } from '../../src/dataset/data-set.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { readBuildAssets } from '../../src/package.ts';
import { generateFiles } from '../../src/site/generate-site.ts';
import { bodyText } from '../support/body.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { namesIn } from '../support/kinds.ts';
import {
  dataSetOf,
  onlyRaw,
  rawItem,
  rawMove,
  rawRecords,
  siteOf,
} from '../support/sites.ts';

const tiny = onlyRaw({
  move: [
    rawMove(1, { slug: 'pound', englishName: '=SUM(A1), "quoted"' }),
    rawMove(10_001, {
      slug: 'breakneck-blitz--physical',
      englishName: null,
      generation: 7,
    }),
  ],
  item: [
    rawItem(4, {
      slug: 'poke-ball',
      englishName: 'Poké Ball <&"/\\> 攻',
      gameIndices: [{ generation: 2, index: 65 }],
      sprite: 'https://upstream.test/sprites/items/dream/poke-ball.png',
    }),
    rawItem(5, { sprite: null }),
  ],
});

/**
 * Renders a file as text. The specification and the pages are left out because other
 * tests cover them.
 */
function render({ path, body }: SiteFile): string {
  if (/^(?:openapi|schemas)|\.html$/.test(path)) return `== ${path}\n`;
  const text = path.endsWith('.gz')
    ? hash('sha256', body)
    : bodyText(body).replaceAll('\r', '\\r');
  return `== ${path}\n${text}\n`;
}

it('generates the files in golden-site.txt (update with npx vitest run test/site --update)', async () => {
  const before = versionOf(
    [rawMove(1, { slug: 'old-pound' }), rawMove(10_001)],
    tiny.item,
  );
  const after = versionOf(tiny.move, tiny.item);
  const history = extendHistory(emptyHistory, compare(before, after));
  const { meta, records, oldSlugs } = siteOf(tiny, { history, downloads: true });
  const names = [namesIn('fr', { move: { pound: 'Écras’Face' } })];
  const files = await generateFiles({
    records,
    names,
    past: { history, oldSlugs },
    hosts: [],
    root: '/srv',
    assets: [],
    archive: false,
    meta: { ...meta, names: summarizeNames(names) },
    buildAssets: { ...readBuildAssets(), compiled: [] },
  });
  await expect(files.map(render).join('')).toMatchFileSnapshot('golden-site.txt');
});

const readFiles = (site: ReturnType<typeof siteOf>): Map<string, string> =>
  new Map(site.files().map(({ path, body }) => [path, bodyText(body)]));

it.each(['query', 'file'] as const)(
  'links list pages to each other with %s links',
  (links) => {
    const files = readFiles(siteOf(rawRecords(250, 0), { links }));
    const getFile = (offset: number) =>
      `api/gamedata/move/${offset > 0 ? `offset/${offset}/` : ''}index.json`;
    const link = (offset: number) => {
      const path = links === 'file' ? getFile(offset) : 'api/gamedata/move/';
      return `https://example.test/${path}?format=api&limit=100&offset=${offset}`;
    };
    for (const [offset, size, next, previous] of [
      [0, 100, link(100), null],
      [100, 100, link(200), link(0)],
      [200, 50, null, link(100)],
    ] as const) {
      const { results, ...page } = JSON.parse(files.get(getFile(offset)) ?? '');
      expect(page).toEqual({ count: 250, next, previous });
      expect([results.length, results[0].id]).toEqual([size, offset + 1]);
    }
  },
);

it("generates the same site for any order of the upstream's records", () => {
  const quirky = {
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
  const [expected, { warnings }] = [readFiles(siteOf(quirky)), dataSetOf(quirky)];
  const shuffle = <T>(values: readonly T[]) =>
    fc.shuffledSubarray([...values], {
      minLength: values.length,
      maxLength: values.length,
    });
  fc.assert(
    fc.property(shuffle(quirky.move), shuffle(quirky.item), (move, item) => {
      expect(readFiles(siteOf({ move, item }))).toEqual(expected);
      expect(dataSetOf({ move, item }).warnings).toEqual(warnings);
    }),
    { numRuns: 20 },
  );
  expect(warnings.map(({ code, id }) => `${code} ${id}`)).toEqual([
    ...[
      'duplicate-slug 500',
      'missing-name 500',
      'duplicate-slug 70',
      'duplicate-slug 71',
    ],
  ]);
  expect(new Set([...expected.keys()].map((path) => path.toLowerCase())).size).toBe(
    expected.size,
  );
});
