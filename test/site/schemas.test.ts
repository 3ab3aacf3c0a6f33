import { beforeAll, describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { type SpecifiedSite, specifiedSite } from '../support/specification.ts';

/** Which schema a file of JSON has to fit. */
function schemaOf(path: string): string | undefined {
  if (path === 'api/gamedata/index.json') return 'root';
  const [, kind, rest] = /^api\/gamedata\/(move|item)\/(.*)index\.json$/.exec(path) ?? [];
  if (kind !== undefined) return rest === '' || rest?.startsWith('offset/') ? `${kind}-page` : kind;
  if (/^40\d\.json$/.test(path)) return 'error';
  const [, described] = /^(meta|changes|moved)\.json$/.exec(path) ?? [];
  return described;
}

describe.each(['query', 'file'] as const)('the schemas of a site with %s links', (links) => {
  const raw = rawRecords(120, 230);
  let site: SpecifiedSite;
  beforeAll(() => {
    site = specifiedSite(raw, { links });
  });

  it('fit every file', () => {
    const seen: Record<string, number> = {};
    for (const path of site.files.keys()) {
      const schema = schemaOf(path);
      if (schema === undefined) continue;
      expect(site.problems(schema, site.json(path)), path).toBeNull();
      seen[schema] = (seen[schema] ?? 0) + 1;
    }
    const [move, item] = [raw.move.length, raw.item.length];
    const pages = { 'move-page': Math.ceil(move / 100), 'item-page': Math.ceil(item / 100) };
    expect(seen).toEqual({ root: 1, move, item, ...pages, error: 3, meta: 1, changes: 1, moved: 1 });
  });

  it('fit the search index', () => {
    const index = createSearchIndex(siteOf(raw, { links }).records);
    expect(site.problems('search', index)).toBeNull();
    expect(site.problems('search', { ...index, move: [{ ...index.move[0], id: -1 }] })).not.toBeNull();
  });
});

describe('the schemas', () => {
  it('are found at the address that they say', async () => {
    const { files, json } = specifiedSite(rawRecords(1, 1));
    const names = [...files.keys()].filter((path) => path.startsWith('schemas/'));
    const described = ['meta', 'manifest', 'changes', 'former', 'moved', 'search'];
    const pages = kindNames.map((kind) => `${kind}-page`);
    const expected = [...kindNames, ...pages, 'root', 'error', 'gamedata', 'names'];
    expected.push('names-index', ...described);
    expect(names).toEqual(expected.map((name) => `schemas/${name}.json`));
    for (const path of names) {
      expect(json(path)).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `https://example.test/${path}`,
        title: expect.any(String),
        description: expect.any(String),
      });
    }
  });

  const api = 'https://example.test/api/gamedata';
  it.each<[string, string, Record<string, unknown>]>([
    ['a field too many', 'move', { power: 40 }],
    ['a missing field', 'move', { generation: undefined }],
    ['a text for a number', 'move', { id: '1' }],
    ['a slug that is no path segment', 'move', { slug: '../x' }],
    ['a name with a line break', 'move', { name: 'a\nb' }],
    ['a link of another kind', 'move', { url: `${api}/item/move-1/?format=api` }],
    ['a link without its format', 'move', { url: `${api}/move/move-1/` }],
    ['an icon elsewhere', 'item', { icon: 'https://other.test/x.png' }],
    ['an index that is no number', 'item', { id3: 'x' }],
    ['a negative count', 'move-page', { count: -1 }],
    ['a link without an offset', 'move-page', { next: `${api}/move/?format=api&limit=100` }],
    ['an unknown source', 'meta', { source: 'guess' }],
  ])('find %s', async (_, schema, damage) => {
    const { json, problems } = specifiedSite(rawRecords(101, 1));
    const path = {
      move: 'api/gamedata/move/move-1/',
      item: 'api/gamedata/item/item-1/',
      'move-page': 'api/gamedata/move/',
    }[schema];
    const value = json(path === undefined ? 'meta.json' : `${path}index.json`);
    expect(problems(schema, value)).toBeNull();
    // As JSON, which has no undefined fields.
    expect(problems(schema, JSON.parse(JSON.stringify({ ...value, ...damage })))).toMatch(/^data/);
  });
});
