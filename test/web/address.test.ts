import { expect, it } from 'vitest';
import {
  addressIn,
  asJson,
  endpointOf,
  sourceOf,
  windowOf,
  withWindow,
} from '../../src/web/browse/address.ts';

const roots = ['https://host.test/', 'https://host.test/data/'];

it.each([
  ['api/gamedata/', '/api/gamedata/', true],
  ['api/gamedata/move/?format=api&limit=5#answer', '/api/gamedata/move/?format=api&limit=5', true],
  ['browse/', '/api/gamedata/', false],
  ['browse/#', '/api/gamedata/', false],
  ['browse/#main', '/api/gamedata/', false],
  ['browse.html#https://elsewhere.test/api/gamedata/', '/api/gamedata/', false],
  ['browse#/api/gamedata/item/potion/?format=api', '/api/gamedata/item/potion/?format=api', false],
])('a page at %s shows %s', (path, address, isNegotiated) => {
  for (const root of roots) expect(addressIn(root + path, root)).toEqual({ address, isNegotiated });
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
])('a link in the data to %s is the endpoint %s', (link, address) => {
  expect(endpointOf(link)).toBe(address);
});

it.each([
  ['/api/gamedata/', 'api/gamedata/index.json'],
  ['/api/gamedata/move/pound/?format=api', 'api/gamedata/move/pound/index.json'],
  ['/api/gamedata/move/?format=api&limit=100&offset=0', 'api/gamedata/move/index.json'],
  ['/api/gamedata/move/?offset=300', 'api/gamedata/move/offset/300/index.json'],
  ['/api/gamedata/move/?limit=50', undefined],
  ['/api/gamedata/move/?offset=50', undefined],
])('what is fetched for %s is the file %s if links lead to files', (address, file) => {
  expect(sourceOf(address, 'file')).toBe(file);
  expect(sourceOf(address, 'query')).toBe(address.slice(1));
});

it.each([
  ['/api/gamedata/move/?format=api&offset=5', '/api/gamedata/move/?format=json&offset=5'],
  ['/api/gamedata/', '/api/gamedata/?format=json'],
])('%s is %s for everybody', (address, json) => expect(asJson(address)).toBe(json));

it.each([
  ['', 100, 0],
  ['?limit=5&offset=10', 5, 10],
  ['?limit=0&offset=-3', 100, 0],
  ['?limit=x&offset=', 100, 0],
  ['?limit=5&limit=6', 6, 0],
])('the window of %j has limit %i and offset %i', (query, limit, offset) => {
  expect(windowOf(`/api/gamedata/move/${query}`)).toEqual({ limit, offset });
});

it('a window is written as the site writes links', () => {
  const address = withWindow('/api/gamedata/move/?x=1', { limit: 5, offset: 10 });
  expect(address).toBe('/api/gamedata/move/?format=api&limit=5&offset=10');
});
