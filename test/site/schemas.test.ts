import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createSpecification } from '../../src/site/openapi.ts';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { bodyText } from '../support/body.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

function createSite(moves: number, items: number, options?: SiteOptions) {
  const { plan, files } = siteOf(rawRecords(moves, items), options);
  const all = [
    ...files(),
    { path: 'search.json', body: JSON.stringify(createSearchIndex(plan.records)) },
    ...createSpecification(plan.records, plan.meta, plan),
  ];
  const texts = new Map(all.map(({ path, body }) => [path, bodyText(body)]));
  function json(path: string): Record<string, unknown> {
    return JSON.parse(texts.get(path) ?? 'null');
  }
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: {
      date: /^\d{4}-\d\d-\d\d$/,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    },
  });
  for (const path of texts.keys()) {
    if (path.startsWith('schemas/')) ajv.addSchema(json(path));
  }
  /**
   * Validates a value with a published schema. Returns null if the value is valid.
   */
  function findProblems(schema: string, value: unknown): string | null {
    const validate = ajv.getSchema(`https://example.test/schemas/${schema}.json`);
    if (!validate) throw new Error(`the site has no schema ${schema}`);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  }
  return { paths: [...texts.keys()], json, findProblems };
}

/** Returns the name of the schema that describes a file of the site. */
function findSchema(path: string): string | undefined {
  if (path === 'api/gamedata/index.json') return 'root';
  const [, kind, rest = ''] =
    /^api\/gamedata\/(move|item)\/(.*)index\.json$/.exec(path) ?? [];
  if (kind !== undefined) {
    const isPage = rest === '' || rest.startsWith('offset/');
    return isPage ? `${kind}-page` : kind;
  }
  if (/^40\d\.json$/.test(path)) return 'error';
  const [, name] = /^(meta|changes|moved|search)\.json$/.exec(path) ?? [];
  return name;
}

it.each(['query', 'file'] as const)(
  'the schemas accept every file of a site with %s links',
  (links) => {
    const { paths, json, findProblems } = createSite(120, 230, { links });
    const seen: Record<string, number> = {};
    for (const path of paths) {
      const schema = findSchema(path);
      if (schema === undefined) continue;
      expect(findProblems(schema, json(path)), path).toBeNull();
      seen[schema] = (seen[schema] ?? 0) + 1;
    }
    expect(seen).toEqual({
      root: 1,
      move: 120,
      item: 230,
      'move-page': 2,
      'item-page': 3,
      error: 3,
      meta: 1,
      changes: 1,
      moved: 1,
      search: 1,
    });
  },
);

describe('a published schema', () => {
  const { paths, json, findProblems } = createSite(101, 1);

  it('uses only regular expressions that have the same meaning in every language', () => {
    const patterns: string[] = [];
    for (const path of paths) {
      const hasPatterns = path.startsWith('schemas/') || path === 'openapi.json';
      if (!hasPatterns) continue;
      // Visits every key at any depth.
      JSON.stringify(json(path), (key, value) => {
        if (key === 'pattern' && typeof value === 'string') patterns.push(value);
        return value;
      });
    }
    // The portable syntax excludes look-around, back-references, escaped slashes,
    // operators in classes and Unicode properties.
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

  it.each(Object.keys(examples))(
    'accepts a field that a later version adds: %s',
    (schema) => {
      const value = {
        ...json(examples[schema] ?? ''),
        added: { by: 'a later version' },
      };
      expect(findProblems(schema, value)).toBeNull();
    },
  );

  it('allows additional properties at every level, as in OpenAPI', () => {
    const closed: string[] = [];
    for (const path of paths) {
      if (!path.startsWith('schemas/') && path !== 'openapi.json') continue;
      JSON.stringify(json(path), (key, value) => {
        if (key === 'additionalProperties' && value === false) closed.push(path);
        return value;
      });
    }
    expect(closed).toEqual([]);
  });

  const api = 'https://example.test/api/gamedata';
  it.each<[string, string, Record<string, unknown>]>([
    ['a slug that is not a path segment', 'move', { slug: '../x' }],
    ['a name with a line break', 'move', { name: 'a\nb' }],
    [
      'a link to a different kind',
      'move',
      { url: `${api}/item/move-1/?format=api` },
    ],
    ['a link without its format', 'move', { url: `${api}/move/move-1/` }],
    ['an icon outside the site', 'item', { icon: 'https://other.test/x.png' }],
    ['an index that is not a number', 'item', { id3: 'x' }],
    [
      'a link without an offset',
      'move-page',
      { next: `${api}/move/?format=api&limit=100` },
    ],
    ['an unknown source', 'meta', { source: 'guess' }],
  ])('rejects %s', (_, schema, damage) => {
    const value = json(examples[schema] ?? '');
    expect(findProblems(schema, value)).toBeNull();
    expect(findProblems(schema, { ...value, ...damage })).toMatch(/^data/);
  });
});
