import { describe, expect, it } from 'vitest';
import * as address from '../../../src/web/browse/address.ts';

interface PageUrl {
  /** The path below the site's root. */
  readonly path: string;
  readonly address: string;
  /** Whether the server chose the page for this URL, instead of JSON. */
  readonly isNegotiated: boolean;
}

const pageUrls: readonly PageUrl[] = [
  { path: 'api/gamedata/', address: '/api/gamedata/', isNegotiated: true },
  {
    path: 'api/gamedata/move/?format=api&limit=5',
    address: '/api/gamedata/move/?format=api&limit=5',
    isNegotiated: true,
  },
  { path: 'browse/', address: '/api/gamedata/', isNegotiated: false },
  { path: 'browse/#main', address: '/api/gamedata/', isNegotiated: false },
  {
    path: 'browse.html#https://elsewhere.test/api/gamedata/',
    address: '/api/gamedata/',
    isNegotiated: false,
  },
  {
    path: 'browse#/api/gamedata/item/potion/?format=api',
    address: '/api/gamedata/item/potion/?format=api',
    isNegotiated: false,
  },
];

describe.each(['https://host.test/', 'https://host.test/data/'])(
  'with a site at %s',
  (root) => {
    it.each(pageUrls)('parses the address in the URL $path', (pageUrl) => {
      const { path, address: expected, isNegotiated } = pageUrl;
      const parsed = address.parseAddress(root + path, root);
      expect(parsed).toEqual({ address: expected, isNegotiated, search: '' });
    });

    // Without an address in the URL, the search would be the first fragment, in which
    // the page expects the address.
    const searchableUrls = pageUrls.filter(
      ({ path, isNegotiated }) => isNegotiated || path.includes('/api/'),
    );

    it.each(searchableUrls)('replaces the search in the URL $path', (pageUrl) => {
      const { path, address: expected, isNegotiated } = pageUrl;
      const firstSearch = address.replaceSearch(root + path, 'q=a');
      const secondSearch = address.replaceSearch(firstSearch, 'q=b%2Fc');
      const parsed = address.parseAddress(secondSearch, root);
      expect(parsed).toEqual({
        address: expected,
        isNegotiated,
        search: 'q=b%2Fc',
      });
    });

    it.each(pageUrls)('removes the search from the URL $path', ({ path }) => {
      const searched = address.replaceSearch(root + path, 'q=a');
      const withoutSearch = address.replaceSearch(searched, '');
      expect(withoutSearch).toBe(root + path.replace('#main', ''));
    });
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
])('finds the file with the response for %s', (path, file) => {
  expect(address.fetchPath(path, 'file')).toBe(file);
});

it("requests an address unchanged if the site's links have queries", () => {
  const path = '/api/gamedata/move/?limit=50';
  expect(address.fetchPath(path, 'query')).toBe('api/gamedata/move/?limit=50');
});

it.each<[string, number, number]>([
  ['', 100, 0],
  ['?limit=5&offset=10', 5, 10],
  ['?limit=0&offset=-3', 100, 0],
  ['?limit=x&offset=', 100, 0],
  ['?limit=5&limit=6', 6, 0],
  ['?limit=%2B5&offset=%2B30', 5, 30],
  ['?limit=20000000000000000001', 100, 0],
])('parses the page range of %j', (query, limit, offset) => {
  const pageRange = address.readPageRange(`/api/gamedata/move/${query}`);
  expect(pageRange).toEqual({ limit, offset });
});

it('writes the query parameters in the same order as links in responses', () => {
  const pageRange = { limit: 5, offset: 10 };
  const page = address.replacePageRange('/api/gamedata/move/?x=1', pageRange);
  expect(page).toBe('/api/gamedata/move/?format=api&limit=5&offset=10');
});

it('changes the format in an address to JSON', () => {
  const page = '/api/gamedata/move/?format=api&limit=5&offset=10';
  const json = '/api/gamedata/move/?format=json&limit=5&offset=10';
  expect(address.replaceFormat(page)).toBe(json);
});

it.each([
  ['/api/gamedata/move/pound/?format=api', '/api/gamedata/move/pound/'],
  ['/api/gamedata/move/?format=api&x=1', '/api/gamedata/move/'],
  [
    '/api/gamedata/move/?format=api&limit=5&offset=10',
    '/api/gamedata/move/?limit=5&offset=10',
  ],
])('returns the canonical address of %j: %j', (page, canonical) => {
  expect(address.getCanonicalAddress(page)).toBe(canonical);
});

it('lists the endpoints above a record as breadcrumbs', () => {
  const record = '/api/gamedata/move/pound/?format=api';
  expect(address.listBreadcrumbs(record)).toEqual([
    { path: '/api/gamedata/', text: 'api' },
    { path: '/api/gamedata/move/', text: 'move' },
    { path: '/api/gamedata/move/pound/', text: 'pound' },
  ]);
});
