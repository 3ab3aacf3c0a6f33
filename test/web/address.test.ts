import { describe, expect, it } from 'vitest';
import {
  addressIn,
  asJson,
  endpointOf,
  hrefTo,
  placeOf,
  sourceOf,
  windowOf,
  withWindow,
} from '../../src/web/browse/address.ts';

const root = 'https://host.test/';
const at = (href: string, links: 'query' | 'file' = 'query', site = root) => placeOf({ href }, site, links);
const negotiated = at(`${root}api/gamedata/move/`);
const oneFile = at(`${root}browse/#/api/gamedata/move/`);
const files = at(`${root}browse/`, 'file');

describe('the address that the page is requested', () => {
  it.each([
    ['api/gamedata/', '/api/gamedata/'],
    ['api/gamedata/move/?format=api&limit=5#answer', '/api/gamedata/move/?format=api&limit=5'],
    ['browse/', '/api/gamedata/'],
    ['browse/#', '/api/gamedata/'],
    ['browse/#main', '/api/gamedata/'],
    ['browse.html#https://elsewhere.test/api/gamedata/', '/api/gamedata/'],
    ['browse#/api/gamedata/item/potion/?format=api', '/api/gamedata/item/potion/?format=api'],
  ])('is of %s %s', (path, address) => {
    expect(addressIn({ href: root + path }, at(root + path))).toBe(address);
  });

  it('is the same if the site does not start at the top', () => {
    const site = `${root}data/`;
    const href = `${site}api/gamedata/item/`;
    expect(addressIn({ href }, at(href, 'query', site))).toBe('/api/gamedata/item/');
    expect(hrefTo('/api/gamedata/move/', at(href, 'query', site))).toBe(`${site}api/gamedata/move/`);
  });
});

describe('a link', () => {
  it('leads to the address itself, or behind the hash', () => {
    expect(hrefTo('/api/gamedata/move/', negotiated)).toBe(`${root}api/gamedata/move/`);
    expect(hrefTo('/api/gamedata/move/', oneFile)).toBe('#/api/gamedata/move/');
  });

  it.each([
    ['https://any.test/api/gamedata/move/pound/?format=api', '/api/gamedata/move/pound/?format=api'],
    ['https://any.test/under/api/gamedata/move/', '/api/gamedata/move/'],
    [
      'https://any.test/api/gamedata/move/pound/index.json?format=api',
      '/api/gamedata/move/pound/?format=api',
    ],
    [
      'https://any.test/api/gamedata/item/offset/200/index.json?format=api&limit=100&offset=200',
      '/api/gamedata/item/?format=api&limit=100&offset=200',
    ],
    ['https://any.test/api/gamedata/index.json', '/api/gamedata/'],
    ['https://any.test/elsewhere', undefined],
    ['javascript:alert(1)//api/gamedata/', undefined],
    ['http://[broken/api/gamedata/', undefined],
    ['Pound', undefined],
  ])('in the data, %s, is the endpoint %s', (link, address) => {
    expect(endpointOf(link)).toBe(address);
  });
});

describe('what is fetched', () => {
  it.each([
    ['/api/gamedata/', 'api/gamedata/index.json'],
    ['/api/gamedata/move/pound/?format=api', 'api/gamedata/move/pound/index.json'],
    ['/api/gamedata/move/?format=api&limit=100&offset=0', 'api/gamedata/move/index.json'],
    ['/api/gamedata/move/?offset=300', 'api/gamedata/move/offset/300/index.json'],
    ['/api/gamedata/move/?limit=50', undefined],
    ['/api/gamedata/move/?offset=50', undefined],
  ])('for %s is the file %s if links lead to files', (address, file) => {
    expect(sourceOf(address, files)).toBe(file && root + file);
    expect(sourceOf(address, oneFile)).toBe(root + address.slice(1));
  });

  it('is the same address as JSON for everybody', () => {
    expect(asJson('/api/gamedata/move/?format=api&offset=5')).toBe(
      '/api/gamedata/move/?format=json&offset=5',
    );
    expect(asJson('/api/gamedata/')).toBe('/api/gamedata/?format=json');
  });
});

describe('a window', () => {
  it.each([
    ['', 100, 0],
    ['?limit=5&offset=10', 5, 10],
    ['?limit=0&offset=-3', 100, 0],
    ['?limit=x&offset=', 100, 0],
    ['?limit=5&limit=6', 6, 0],
  ])('of %j has limit %i and offset %i', (query, limit, offset) => {
    expect(windowOf(`/api/gamedata/move/${query}`)).toEqual({ limit, offset });
  });

  it('is written as the site writes links', () => {
    const address = withWindow('/api/gamedata/move/?x=1', { limit: 5, offset: 10 });
    expect(address).toBe('/api/gamedata/move/?format=api&limit=5&offset=10');
  });
});
