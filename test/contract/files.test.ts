import { describe, expect, it } from 'vitest';
import { getMediaType, isCompressible } from '../../src/contract/headers.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { encodeBody } from '../../src/contract/meta.ts';
import { getNativeName } from '../../src/contract/names.ts';
import { isHostConfig } from '../../src/contract/paths.ts';
import { createRoutes, getIconRedirect } from '../../src/contract/routes.ts';
import { everyKind } from '../support/kinds.ts';

it.each([
  ['data/move.csv', 'text/csv; charset=utf-8'],
  ['data/move.csv.gz', 'application/gzip'],
  ['data/gamedata.d.ts', 'text/plain; charset=utf-8'],
  ['data/move.ndjson', 'application/x-ndjson'],
  ['download/gamedata.sha256', 'text/plain; charset=utf-8'],
  ['api/gamedata/index.json', 'application/json'],
  ['.csv/index.html', 'text/html; charset=utf-8'],
  ['.csv/LICENSE', 'application/octet-stream'],
])('getMediaType(%s) is %s', (file, type) => {
  expect(getMediaType(file)).toBe(type);
});

it('isCompressible accepts text regardless of its type', () => {
  const types = 'text/css application/json application/x-ndjson application/atom+xml image/svg+xml';
  expect(types.split(' ').filter((type) => !isCompressible(type))).toEqual([]);
  const others = 'image/png application/gzip application/json-seq application/geojson x-text/a';
  expect(others.split(' ').filter(isCompressible)).toEqual([]);
});

it('getNativeName is the language’s own name, or its tag', () => {
  expect(['fr', 'zh-hant', 'tlh'].map(getNativeName)).toEqual(['Français', '繁體中文', 'tlh']);
});

it('isHostConfig accepts dots, underscores and names that a host fixes', () => {
  const hostFiles = ['_redirects', '.htaccess', 'netlify/.hidden/x', 'wrangler.jsonc'];
  const others = ['api/wrangler.jsonc', 'index.html', 'api/a_b/index.json', 'api/mr.x/index.json'];
  expect([...hostFiles, ...others].filter(isHostConfig)).toEqual(hostFiles);
});

it.each([
  [{ mode: 'link', upstream: 'https://x.test' }, 'https://x.test/'],
  [{ mode: 'link', upstream: null }, null],
  [{ mode: 'mirror', upstream: 'https://x.test' }, null],
] as const)('getIconRedirect(%j) is %s', (source, base) => {
  expect(getIconRedirect(source)).toBe(base);
});

describe('the route table', () => {
  it('has a route for every record and no redirects by default', () => {
    const routes = createRoutes(
      everyKind({ move: [{ slug: 'pound' }], item: [{ slug: 'potion' }, { slug: 'x' }] }, () => []),
    );
    const records = ['move/pound', 'item/potion', 'item/x'].map((name) => ({
      path: `/api/gamedata/${name}/`,
      file: `api/gamedata/${name}/index.json`,
    }));
    expect(routes.records).toEqual(records);
    expect(routes.moved).toEqual([]);
    expect(routes.root).toEqual({ path: '/api/gamedata/', file: 'api/gamedata/index.json' });
    expect(routes.icons).toEqual({
      path: '/sprites/items/',
      upstream: 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/',
    });
    expect(routes.lists.map(({ kind, pages }) => [kind, pages])).toEqual(
      kindNames.map((kind) => [kind, [{ offset: 0, file: `api/gamedata/${kind}/index.json` }]]),
    );
  });
});

it('encodeBody encodes text and calls make', () => {
  const entry = { path: 'a', bytes: 2, sha256: '' };
  expect(encodeBody({ path: 'a', body: 'é' })).toEqual(Uint8Array.of(0xc3, 0xa9));
  expect(encodeBody({ ...entry, make: () => 'é' })).toEqual(Uint8Array.of(0xc3, 0xa9));
  expect(encodeBody({ ...entry, make: () => Uint8Array.of(1, 2) })).toEqual(Uint8Array.of(1, 2));
});
