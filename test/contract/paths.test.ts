import { expect, it } from 'vitest';
import * as paths from '../../src/contract/paths.ts';

it.each([
  ['https://example.org/', ''],
  ['https://example.org/a/b//', '/a/b'],
  ['no URL', ''],
])('getBasePath(%j) returns %j', (baseUrl, path) => {
  expect(paths.getBasePath(baseUrl)).toBe(path);
});

it('creates the file paths and URLs that the contract specifies', () => {
  const query = { baseUrl: 'https://example.org/games', links: 'query' } as const;
  const file = { ...query, links: 'file' } as const;
  const [first, third] = [0, 200].map((offset) => ({ limit: 100, offset }));
  const api = 'https://example.org/games/api/gamedata';
  const { listUrl, recordUrl } = paths;
  expect(paths.listPageFile('move', 0)).toBe('api/gamedata/move/index.json');
  expect(paths.listPageFile('item', 200)).toBe(
    'api/gamedata/item/offset/200/index.json',
  );
  expect(paths.recordFile('move', 'pound')).toBe(
    'api/gamedata/move/pound/index.json',
  );
  expect(recordUrl(query, 'move', 'pound')).toBe(`${api}/move/pound/?format=api`);
  expect(recordUrl(file, 'move', 'pound')).toBe(
    `${api}/move/pound/index.json?format=api`,
  );
  expect(listUrl(query, 'item')).toBe(`${api}/item/?format=api`);
  expect(listUrl(query, 'item', third)).toBe(
    `${api}/item/?format=api&limit=100&offset=200`,
  );
  expect(listUrl(query, 'item', third, 'json')).toBe(
    `${api}/item/?format=json&limit=100&offset=200`,
  );
  expect(listUrl(file, 'item')).toBe(`${api}/item/index.json?format=api`);
  expect(listUrl(file, 'item', first)).toBe(
    `${api}/item/index.json?format=api&limit=100&offset=0`,
  );
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

it('findSlugs lists the slugs in the record files of one kind', () => {
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

it.each([
  ['_redirects', true],
  ['.htaccess', true],
  ['netlify/.hidden/x', true],
  ['_hosts/x', true],
  ['.well-known', true],
  ['.well-known/', true],
  ['.well-known/.hidden', true],
  ['.well-known/a/.hidden/b', true],
  ['.well-knowns/a.txt', true],
  ['docs/.well-known/a.txt', true],
  ['.well-known/security.txt', false],
  ['.well-known/acme-challenge/_token', false],
  ['index.html', false],
  ['api/a_b/index.json', false],
  ['x_hosts/z', false],
  ['api/mr.x/x', false],
])('isHidden(%j) returns %s', (path, isHidden) => {
  expect(paths.isHidden(path)).toBe(isHidden);
});

it('isServed accepts files in .well-known/ only at the root of an origin', () => {
  const files = ['.well-known/security.txt', 'meta.json', '.htaccess'];
  expect(files.filter((file) => paths.isServed(file, ''))).toEqual([
    '.well-known/security.txt',
    'meta.json',
  ]);
  expect(files.filter((file) => paths.isServed(file, '/games'))).toEqual([
    'meta.json',
  ]);
});

it.each([
  ['site.tar.gz', true],
  ['/backups/site.tgz', true],
  ['SITE.TAR.GZ', true],
  ['site.tar', true],
  ['artifact.zip', true],
  ['site', false],
  ['https://example.test/site.tar.gz', false],
])('isArchive recognizes archives by their extension: %s → %s', (name, expected) => {
  expect(paths.isArchive(name)).toBe(expected);
});
