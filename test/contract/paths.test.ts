import { expect, it } from 'vitest';
import * as paths from '../../src/contract/paths.ts';

it.each([
  ['https://example.org/', ''],
  ['https://example.org/a/b//', '/a/b'],
  ['no URL', ''],
])('getBasePath(%j) returns %j', (baseUrl, path) => {
  expect(paths.getBasePath(baseUrl)).toBe(path);
});

it('creates the files and URLs of the contract', () => {
  const query = { baseUrl: 'https://example.org/games', links: 'query' } as const;
  const file = { ...query, links: 'file' } as const;
  const [first, third] = [0, 200].map((offset) => ({ limit: 100, offset }));
  const api = 'https://example.org/games/api/gamedata';
  const { listUrl, recordUrl } = paths;
  expect(paths.listPageFile('move', 0)).toBe('api/gamedata/move/index.json');
  expect(paths.listPageFile('item', 200)).toBe('api/gamedata/item/offset/200/index.json');
  expect(paths.recordFile('move', 'pound')).toBe('api/gamedata/move/pound/index.json');
  expect(recordUrl(query, 'move', 'pound')).toBe(`${api}/move/pound/?format=api`);
  expect(recordUrl(file, 'move', 'pound')).toBe(`${api}/move/pound/index.json?format=api`);
  expect(listUrl(query, 'item')).toBe(`${api}/item/?format=api`);
  expect(listUrl(query, 'item', third)).toBe(`${api}/item/?format=api&limit=100&offset=200`);
  expect(listUrl(query, 'item', third, 'json')).toBe(
    `${api}/item/?format=json&limit=100&offset=200`,
  );
  expect(listUrl(file, 'item')).toBe(`${api}/item/index.json?format=api`);
  expect(listUrl(file, 'item', first)).toBe(`${api}/item/index.json?format=api&limit=100&offset=0`);
  const offset200 = `${api}/item/offset/200/index.json?format=api&limit=100&offset=200`;
  expect(listUrl(file, 'item', third)).toBe(offset200);
});

it.each([
  ['/api/gamedata/move/pound/', { kind: 'move', slug: 'pound' }],
  ['/api/gamedata/item/pound', { kind: 'item', slug: 'pound' }],
  ['/api/gamedata/move/', undefined],
  ['/api/gamedata/move/pound/index.json', undefined],
  ['/api/gamedata/other/pound/', undefined],
  ['/x/api/gamedata/move/pound/', undefined],
])('parseRecordPath(%j) returns %j', (path, expected) => {
  expect(paths.parseRecordPath(path)).toEqual(expected);
});

it("findSlugs lists the slugs of a kind's record files", () => {
  const files = [
    'api/gamedata/index.json',
    'api/gamedata/item/potion/index.json',
    'api/gamedata/move/index.json',
    'api/gamedata/move/offset/100/index.json',
    'api/gamedata/move/pound/index.json',
    'api/gamedata/move/x/index.json',
    'mirror/api/gamedata/move/y/index.json',
  ];
  expect(paths.findSlugs('move', files)).toEqual(['pound', 'x']);
  expect(paths.findSlugs('item', files)).toEqual(['potion']);
});

it('isHostConfig accepts names that start with a dot or an underscore or are fixed by a host', () => {
  const configs = [
    '_redirects',
    '.htaccess',
    'netlify/.hidden/x',
    'wrangler.jsonc',
    '_hosts/x',
    '.well-known',
    '.well-known/',
    '.well-known/.hidden',
    '.well-known/a/.hidden/b',
    '.well-knowns/a.txt',
    'docs/.well-known/a.txt',
  ];
  const others = [
    'api/wrangler.jsonc',
    'index.html',
    'api/a_b/index.json',
    'x_hosts/z',
    'api/mr.x/x',
    '.well-known/security.txt',
    '.well-known/acme-challenge/_token',
  ];
  expect([...configs, ...others].filter(paths.isHostConfig)).toEqual(configs);
  expect([...configs, ...others].filter(paths.isWebServerConfig)).toEqual(['_hosts/x']);
});

it('isServed accepts files below .well-known/ only at the root of an origin', () => {
  const files = ['.well-known/security.txt', 'meta.json', '.htaccess'];
  expect(files.filter((file) => paths.isServed(file, ''))).toEqual([
    '.well-known/security.txt',
    'meta.json',
  ]);
  expect(files.filter((file) => paths.isServed(file, '/games'))).toEqual(['meta.json']);
});
