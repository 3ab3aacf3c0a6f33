import { expect, it } from 'vitest';
import {
  fetchPath,
  parseAddress,
  parseLink,
  readPageRange,
  withJsonFormat,
  withPageRange,
  withSearch,
} from '../../src/web/browse/address.ts';

const roots = ['https://host.test/', 'https://host.test/data/'];

it.each([
  ['api/gamedata/', '/api/gamedata/', true],
  ['api/gamedata/move/?format=api&limit=5', '/api/gamedata/move/?format=api&limit=5', true],
  ['browse/', '/api/gamedata/', false],
  ['browse/#main', '/api/gamedata/', false],
  ['browse.html#https://elsewhere.test/api/gamedata/', '/api/gamedata/', false],
  ['browse#/api/gamedata/item/potion/?format=api', '/api/gamedata/item/potion/?format=api', false],
])('reads the address of the page %s', (path, address, isNegotiated) => {
  for (const root of roots) {
    expect(parseAddress(root + path, root)).toEqual({ address, isNegotiated, search: '' });
    const searched = withSearch(withSearch(root + path, 'q=a'), 'q=b%2Fc');
    if (path.includes('/api/') || isNegotiated)
      expect(parseAddress(searched, root)).toEqual({ address, isNegotiated, search: 'q=b%2Fc' });
    expect(withSearch(searched, '')).toBe(root + path.replace('#main', ''));
  }
});

it.each([
  ['https://any.test/api/gamedata/move/pound/?format=api', '/api/gamedata/move/pound/?format=api'],
  ['https://any.test/under/api/gamedata/move/', '/api/gamedata/move/'],
  ['https://any.test/api/gamedata/move/pound/index.json?format=api', '/api/gamedata/move/pound/?format=api'],
  [
    'https://any.test/api/gamedata/item/offset/200/index.json?format=api&limit=100&offset=200',
    '/api/gamedata/item/?format=api&limit=100&offset=200',
  ],
  ['https://any.test/api/gamedata/index.json', '/api/gamedata/'],
  ['https://any.test/elsewhere', undefined],
  ['javascript:alert(1)//api/gamedata/', undefined],
  ['http://[broken/api/gamedata/', undefined],
  ['Pound', undefined],
])('finds the endpoint of the link %s', (link, address) => expect(parseLink(link)).toBe(address));

it.each([
  ['/api/gamedata/', 'api/gamedata/index.json'],
  ['/api/gamedata/move/pound/?format=api', 'api/gamedata/move/pound/index.json'],
  ['/api/gamedata/move/?format=api&limit=100&offset=0', 'api/gamedata/move/index.json'],
  ['/api/gamedata/move/?offset=300', 'api/gamedata/move/offset/300/index.json'],
  ['/api/gamedata/move/?limit=50', undefined],
  ['/api/gamedata/move/?offset=50', undefined],
])('fetches %s, or its file', (address, file) => {
  expect(fetchPath(address, 'file')).toBe(file);
  expect(fetchPath(address, 'query')).toBe(address.slice(1));
});

it.each([
  ['', 100, 0],
  ['?limit=5&offset=10', 5, 10],
  ['?limit=0&offset=-3', 100, 0],
  ['?limit=x&offset=', 100, 0],
  ['?limit=5&limit=6', 6, 0],
])('reads the page range of %j', (query, limit, offset) => {
  expect(readPageRange(`/api/gamedata/move/${query}`)).toEqual({ limit, offset });
});

it('writes addresses as the site writes links', () => {
  const address = withPageRange('/api/gamedata/move/?x=1', { limit: 5, offset: 10 });
  expect(address).toBe('/api/gamedata/move/?format=api&limit=5&offset=10');
  expect(withJsonFormat(address)).toBe('/api/gamedata/move/?format=json&limit=5&offset=10');
});
