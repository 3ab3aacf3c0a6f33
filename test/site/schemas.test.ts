import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { createSearchIndex } from '../../src/site/record-files.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { specifiedSite } from '../support/specification.ts';

/** The schema of a JSON file. */
function schemaOf(path: string): string | undefined {
  if (path === 'api/gamedata/index.json') return 'root';
  const [, kind, rest] = /^api\/gamedata\/(move|item)\/(.*)index\.json$/.exec(path) ?? [];
  if (kind !== undefined) return rest === '' || rest?.startsWith('offset/') ? `${kind}-page` : kind;
  if (/^40\d\.json$/.test(path)) return 'error';
  const [, described] = /^(meta|changes|moved)\.json$/.exec(path) ?? [];
  return described;
}

/** Debian's packages are invisible to other versions of Python. */
const python = ['/usr/bin/python3', 'python3'].find(
  (name) => spawnSync(name, ['-c', 'import jsonschema']).status === 0,
);

/** Reads triples of schema name, schema and value, and prints the number of problems. */
const PYTHON = `
import json, sys
from jsonschema import Draft202012Validator
for name, schema, value in json.load(sys.stdin):
    Draft202012Validator.check_schema(schema)
    print(name, len(list(Draft202012Validator(schema).iter_errors(value))))
`;

describe.each(['query', 'file'] as const)('the schemas of a site with %s links', (links) => {
  const raw = rawRecords(120, 230);
  const site = specifiedSite(raw, { links });

  it('fit every file', () => {
    const seen: Record<string, number> = {};
    for (const path of site.files.keys()) {
      const schema = schemaOf(path);
      if (schema === undefined) continue;
      expect(site.problems(schema, site.json(path)), path).toBeNull();
      seen[schema] = (seen[schema] ?? 0) + 1;
    }
    const counts = { move: 120, item: 230, 'move-page': 2, 'item-page': 3 };
    expect(seen).toEqual({ root: 1, ...counts, error: 3, meta: 1, changes: 1, moved: 1 });
  });

  it('fit the search index', () => {
    const index = createSearchIndex(siteOf(raw, { links }).records);
    expect(site.problems('search', index)).toBeNull();
    expect(site.problems('search', { ...index, move: [{ ...index.move[0], id: -1 }] })).not.toBeNull();
  });

  it.skipIf(python === undefined && process.env.ENGINES !== 'all')("fit in Python's jsonschema, too", () => {
    const triple = (path: string, damage = {}) => {
      const name = schemaOf(path) ?? '';
      return [name, site.json(`schemas/${name}.json`), { ...site.json(path), ...damage }];
    };
    const paths = ['root', 'move/', 'item/', 'move/move-1/'].map(
      (path) => `api/gamedata/${path.replace('root', '')}index.json`,
    );
    const triples = [
      ...[...paths, '404.json', 'meta.json'].map((path) => triple(path)),
      triple('api/gamedata/move/move-1/index.json', { slug: 'No Slug' }),
    ];
    const { stdout, stderr } = spawnSync(python ?? 'python3', ['-c', PYTHON], {
      input: JSON.stringify(triples),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'root 0',
      'move-page 0',
      'item-page 0',
      'move 0',
      'error 0',
      'meta 0',
      'move 1',
    ]);
  });
});

describe('the schemas', () => {
  const { files, json, problems } = specifiedSite(rawRecords(101, 1));

  it('have their URL as $id', () => {
    const names = [...files.keys()].filter((path) => path.startsWith('schemas/'));
    const pages = kindNames.map((kind) => `${kind}-page`);
    const others = 'root error gamedata names names-index meta manifest changes former moved search';
    const expected = [...kindNames, ...pages, ...others.split(' ')];
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
    ['an unknown field', 'move', { power: 40 }],
    ['a missing field', 'move', { generation: undefined }],
    ['a text for a number', 'move', { id: '1' }],
    ['a slug that is not a path segment', 'move', { slug: '../x' }],
    ['a name with a line break', 'move', { name: 'a\nb' }],
    ['a link of another kind', 'move', { url: `${api}/item/move-1/?format=api` }],
    ['a link without its format', 'move', { url: `${api}/move/move-1/` }],
    ['an icon elsewhere', 'item', { icon: 'https://other.test/x.png' }],
    ['an index that is not a number', 'item', { id3: 'x' }],
    ['a negative count', 'move-page', { count: -1 }],
    ['a link without an offset', 'move-page', { next: `${api}/move/?format=api&limit=100` }],
    ['an unknown source', 'meta', { source: 'guess' }],
  ])('reject %s', (_, schema, damage) => {
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
