import { describe, expect, it } from 'vitest';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { specifiedSite } from '../support/specification.ts';

function findSchema(path: string): string | undefined {
  if (path === 'api/gamedata/index.json') return 'root';
  const [, kind, rest] = /^api\/gamedata\/(move|item)\/(.*)index\.json$/.exec(path) ?? [];
  if (kind !== undefined) return rest === '' || rest?.startsWith('offset/') ? `${kind}-page` : kind;
  if (/^40\d\.json$/.test(path)) return 'error';
  return /^(meta|changes|moved)\.json$/.exec(path)?.[1];
}

it.each(['query', 'file'] as const)('the schemas accept every file of a site with %s links', (links) => {
  const raw = rawRecords(120, 230);
  const site = specifiedSite(raw, { links });
  const seen: Record<string, number> = {};
  for (const path of site.files.keys()) {
    const schema = findSchema(path);
    if (schema === undefined) continue;
    expect(site.problems(schema, site.json(path)), path).toBeNull();
    seen[schema] = (seen[schema] ?? 0) + 1;
  }
  const counts = { move: 120, item: 230, 'move-page': 2, 'item-page': 3 };
  expect(seen).toEqual({ root: 1, ...counts, error: 3, meta: 1, changes: 1, moved: 1 });
  expect(site.problems('search', createSearchIndex(siteOf(raw, { links }).records))).toBeNull();
});

describe('the schemas', () => {
  const { files, json, problems } = specifiedSite(rawRecords(101, 1));

  it('use only regular expressions that have the same meaning in every language', () => {
    const patterns: string[] = [];
    for (const path of files.keys())
      if (path.startsWith('schemas/') || path === 'openapi.json')
        JSON.stringify(json(path), (key, value) => {
          if (key === 'pattern' && typeof value === 'string') patterns.push(value);
          return value;
        });
    // Excludes look-around, back-references, slashes in escapes, operators in classes, and Unicode properties.
    const portable =
      /^\^(?:\(\?:|[)|*+?.:=&]|[\w/-]|\{\d+(?:,\d+)?\}|\\[dsw.?[\]]|\[\^?(?:\w-\w|[\w~.:?#]|\\[stnr])+\])+\$$/;
    for (const pattern of patterns) expect(pattern).toMatch(portable);
    expect(new Set(patterns).size).toBeGreaterThan(10);
  });

  const examples: Readonly<Record<string, string>> = {
    move: 'api/gamedata/move/move-1/index.json',
    item: 'api/gamedata/item/item-1/index.json',
    'move-page': 'api/gamedata/move/index.json',
    meta: 'meta.json',
  };

  const api = 'https://example.test/api/gamedata';
  it.each<[string, string, Record<string, unknown>]>([
    ['an unknown field', 'move', { power: 40 }],
    ['a slug that is not a path segment', 'move', { slug: '../x' }],
    ['a name with a line break', 'move', { name: 'a\nb' }],
    ['a link to a different kind', 'move', { url: `${api}/item/move-1/?format=api` }],
    ['a link without its format', 'move', { url: `${api}/move/move-1/` }],
    ['an icon outside the site', 'item', { icon: 'https://other.test/x.png' }],
    ['an index that is not a number', 'item', { id3: 'x' }],
    ['a link without an offset', 'move-page', { next: `${api}/move/?format=api&limit=100` }],
    ['an unknown source', 'meta', { source: 'guess' }],
  ])('reject %s', (_, schema, damage) => {
    const value = json(examples[schema] ?? '');
    expect(problems(schema, value)).toBeNull();
    expect(problems(schema, { ...value, ...damage })).toMatch(/^data/);
  });
});
