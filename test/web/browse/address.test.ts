import { expect, it } from 'vitest';
import type { Integer } from '../../../src/contract/page-range.ts';
import * as address from '../../../src/web/browse/address.ts';

it.each([
  ['api/gamedata/', '/api/gamedata/', true],
  [
    'api/gamedata/move/?format=api&limit=5',
    '/api/gamedata/move/?format=api&limit=5',
    true,
  ],
  ['browse/', '/api/gamedata/', false],
  ['browse/#main', '/api/gamedata/', false],
  ['browse.html#https://elsewhere.test/api/gamedata/', '/api/gamedata/', false],
  [
    'browse#/api/gamedata/item/potion/?format=api',
    '/api/gamedata/item/potion/?format=api',
    false,
  ],
])(
  'parses the address and the search in the URL %s',
  (path, expected, isNegotiated) => {
    for (const root of ['https://host.test/', 'https://host.test/data/']) {
      const page = { address: expected, isNegotiated };
      expect(address.parseAddress(root + path, root)).toEqual({
        ...page,
        search: '',
      });
      const searched = address.replaceSearch(
        address.replaceSearch(root + path, 'q=a'),
        'q=b%2Fc',
      );
      if (path.includes('/api/') || isNegotiated) {
        expect(address.parseAddress(searched, root)).toEqual({
          ...page,
          search: 'q=b%2Fc',
        });
      }
      expect(address.replaceSearch(searched, '')).toBe(
        root + path.replace('#main', ''),
      );
    }
  },
);

it.each([
  ['https://any.test/under/api/gamedata/move/', '/api/gamedata/move/'],
  [
    'https://any.test/api/gamedata/move/pound/index.json?format=api',
    '/api/gamedata/move/pound/?format=api',
  ],
  [
    'https://any.test/api/gamedata/item/offset/200/index.json?offset=200',
    '/api/gamedata/item/?offset=200',
  ],
  ['https://any.test/api/gamedata/index.json', '/api/gamedata/'],
  ['https://any.test/elsewhere', undefined],
  ['javascript:alert(1)//api/gamedata/', undefined],
  ['http://[broken/api/gamedata/', undefined],
  ['Pound', undefined],
])('finds the endpoint for the link %s', (link, expected) => {
  expect(address.parseLink(link)).toBe(expected);
});

it.each([
  ['/api/gamedata/', 'api/gamedata/index.json'],
  ['/api/gamedata/move/pound/?format=api', 'api/gamedata/move/pound/index.json'],
  [
    '/api/gamedata/move/?format=api&limit=100&offset=0',
    'api/gamedata/move/index.json',
  ],
  ['/api/gamedata/move/?offset=300', 'api/gamedata/move/offset/300/index.json'],
  ['/api/gamedata/move/?limit=50', undefined],
  ['/api/gamedata/move/?offset=50', undefined],
  [
    '/api/gamedata/move/?limit=%2B100&offset=%2B300',
    'api/gamedata/move/offset/300/index.json',
  ],
  ['/api/gamedata/move/?offset=20000000000000000000', undefined],
])('finds the path to request for %s', (path, file) => {
  expect(address.fetchPath(path, 'file')).toBe(file);
  expect(address.fetchPath(path, 'query')).toBe(path.slice(1));
});

it.each<[string, Integer, Integer]>([
  ['', 100, 0],
  ['?limit=5&offset=10', 5, 10],
  ['?limit=0&offset=-3', 100, 0],
  ['?limit=x&offset=', 100, 0],
  ['?limit=5&limit=6', 6, 0],
  ['?limit=%2B5&offset=%2B30', 5, 30],
  ['?limit=20000000000000000001', 20000000000000000001n, 0],
])('parses the page range of %j', (query, limit, offset) => {
  expect(address.readPageRange(`/api/gamedata/move/${query}`)).toEqual({
    limit,
    offset,
  });
});

it('writes the query parameters in the same order as links in responses', () => {
  const page = address.replacePageRange('/api/gamedata/move/?x=1', {
    limit: 5,
    offset: 10,
  });
  expect(page).toBe('/api/gamedata/move/?format=api&limit=5&offset=10');
  expect(address.replaceFormat(page)).toBe(page.replace('api&', 'json&'));
});

it('lists the endpoints on the way to a record', () => {
  expect(address.listBreadcrumbs('/api/gamedata/move/pound/?format=api')).toEqual([
    { path: '/api/gamedata/', text: 'api' },
    { path: '/api/gamedata/move/', text: 'move' },
    { path: '/api/gamedata/move/pound/', text: 'pound' },
  ]);
});
