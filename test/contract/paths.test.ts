import { describe, expect, it } from 'vitest';
import * as paths from '../../src/contract/paths.ts';

it.each([
  ['https://example.org/', ''],
  ['https://example.org/a/b//', '/a/b'],
  ['no URL', ''],
])('getBasePath(%j) returns %j', (baseUrl, path) => {
  expect(paths.getBasePath(baseUrl)).toBe(path);
});

describe('file paths', () => {
  it.each([
    [0, 'api/gamedata/item/index.json'],
    [200, 'api/gamedata/item/offset/200/index.json'],
  ])('listPageFile returns the list page with offset %i', (offset, file) => {
    expect(paths.listPageFile('item', offset)).toBe(file);
  });

  it("recordFile returns the path of a record's file", () => {
    const file = paths.recordFile('move', 'pound');
    expect(file).toBe('api/gamedata/move/pound/index.json');
  });
});

describe('links', () => {
  const baseUrl = 'https://example.org/games';
  const queryLinks = { baseUrl, links: 'query' } as const;
  const fileLinks = { baseUrl, links: 'file' } as const;
  const api = 'https://example.org/games/api/gamedata';
  const firstPage = { limit: 100, offset: 0 };
  const thirdPage = { limit: 100, offset: 200 };

  it.each([
    { base: queryLinks, url: `${api}/move/pound/?format=api` },
    { base: fileLinks, url: `${api}/move/pound/index.json?format=api` },
  ])('recordUrl returns $url for $base.links links', ({ base, url }) => {
    expect(paths.recordUrl(base, 'move', 'pound')).toBe(url);
  });

  it.each([
    { base: queryLinks, range: undefined, url: `${api}/item/?format=api` },
    {
      base: queryLinks,
      range: thirdPage,
      url: `${api}/item/?format=api&limit=100&offset=200`,
    },
    { base: fileLinks, range: undefined, url: `${api}/item/index.json?format=api` },
    {
      base: fileLinks,
      range: firstPage,
      url: `${api}/item/index.json?format=api&limit=100&offset=0`,
    },
    {
      base: fileLinks,
      range: thirdPage,
      url: `${api}/item/offset/200/index.json?format=api&limit=100&offset=200`,
    },
  ])('listUrl returns $url for $base.links links', ({ base, range, url }) => {
    expect(paths.listUrl(base, 'item', range)).toBe(url);
  });

  it('listUrl uses the given format', () => {
    const url = paths.listUrl(queryLinks, 'item', thirdPage, 'json');
    expect(url).toBe(`${api}/item/?format=json&limit=100&offset=200`);
  });
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

it.each([
  ['_redirects', true],
  ['_hosts/x', true],
  ['.well-known', true],
  ['.well-known/.hidden', true],
  ['.well-known/security.txt', false],
  ['.well-known/acme-challenge/_token', false],
  ['index.html', false],
  ['api/a_b/index.json', false],
])('isHidden(%j) returns %s', (path, isHidden) => {
  expect(paths.isHidden(path)).toBe(isHidden);
});

it.each([
  { file: '.well-known/security.txt', basePath: '', isServed: true },
  { file: '.well-known/security.txt', basePath: '/games', isServed: false },
  { file: 'meta.json', basePath: '', isServed: true },
  { file: 'meta.json', basePath: '/games', isServed: true },
  { file: '.htaccess', basePath: '', isServed: false },
  { file: '.htaccess', basePath: '/games', isServed: false },
])(
  'isServed($file, "$basePath") returns $isServed',
  ({ file, basePath, isServed }) => {
    expect(paths.isServed(file, basePath)).toBe(isServed);
  },
);
