import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createSpecification } from '../../src/site/openapi.ts';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { bodyText } from '../support/body.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

/**
 * Generates a site with its search index and specification, and compiles its
 * schemas. The returned functions read a file and validate a value.
 */
function createSite(moves: number, items: number, options?: SiteOptions) {
  const { plan, files } = siteOf(rawRecords(moves, items), options);
  const searchIndex = createSearchIndex(plan.records);
  const allFiles = [
    ...files(),
    { path: 'search.json', body: JSON.stringify(searchIndex) },
    ...createSpecification(plan.records, plan.meta, plan),
  ];
  const texts = new Map<string, string>();
  for (const { path, body } of allFiles) texts.set(path, bodyText(body));

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

const RECORD_OR_PAGE = /^api\/gamedata\/(move|item)\/(.*)index\.json$/;

/** Returns the name of the schema that describes a file of the site. */
function findSchema(path: string): string | undefined {
  if (path === 'api/gamedata/index.json') return 'root';
  const match = RECORD_OR_PAGE.exec(path);
  if (match) {
    const [, kind = '', rest = ''] = match;
    const isPage = rest === '' || rest.startsWith('offset/');
    return isPage ? `${kind}-page` : kind;
  }
  if (/^40\d\.json$/.test(path)) return 'error';
  return /^(meta|changes|moved|search)\.json$/.exec(path)?.[1];
}

/** Calls a function for every key of a JSON value, at any depth. */
function visitKeys(
  value: unknown,
  visit: (key: string, value: unknown) => void,
): void {
  JSON.stringify(value, (key, inner) => {
    visit(key, inner);
    return inner;
  });
}

it.each(['query', 'file'] as const)(
  'the published schemas accept every file of a site with %s links',
  (links) => {
    const { paths, json, findProblems } = createSite(120, 230, { links });
    const fileCounts: Record<string, number> = {};
    for (const path of paths) {
      const schema = findSchema(path);
      if (schema === undefined) continue;
      expect(findProblems(schema, json(path)), path).toBeNull();
      fileCounts[schema] = (fileCounts[schema] ?? 0) + 1;
    }
    expect(fileCounts).toEqual({
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
  const schemaPaths = paths.filter((path) => path.startsWith('schemas/'));
  schemaPaths.push('openapi.json');

  it('contains only regular expressions that mean the same in every programming language', () => {
    const patterns = new Set<string>();
    for (const path of schemaPaths) {
      visitKeys(json(path), (key, value) => {
        if (key === 'pattern' && typeof value === 'string') patterns.add(value);
      });
    }
    // The portable syntax excludes look-around, back-references, escaped slashes,
    // operators in classes and Unicode properties.
    const portable =
      /^\^(?:\(\?:|[)|*+?.:=&]|[\w/-]|\{\d+(?:,\d+)?\}|\\[dsw.?[\]]|\[\^?(?:\w-\w|[\w~.:?#]|\\[stnr])+\])+\$$/;
    for (const pattern of patterns) expect(pattern).toMatch(portable);
    expect(patterns.size).toBeGreaterThan(10);
  });

  const examples: Readonly<Record<string, string>> = {
    move: 'api/gamedata/move/move-1/index.json',
    item: 'api/gamedata/item/item-1/index.json',
    'move-page': 'api/gamedata/move/index.json',
    meta: 'meta.json',
  };

  it('allows additional properties at every level', () => {
    const closedSchemas: string[] = [];
    for (const path of schemaPaths) {
      visitKeys(json(path), (key, value) => {
        if (key !== 'additionalProperties') return;
        if (value === false) closedSchemas.push(path);
      });
    }
    expect(closedSchemas).toEqual([]);
  });

  const api = 'https://example.test/api/gamedata';
  it.each<[string, string, Record<string, unknown>]>([
    ['a slug that is not a path segment', 'move', { slug: '../x' }],
    [
      'a link to a different kind',
      'move',
      { url: `${api}/item/move-1/?format=api` },
    ],
    ['an icon outside the site', 'item', { icon: 'https://other.test/x.png' }],
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
