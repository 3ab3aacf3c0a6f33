import { describe, expect, it } from 'vitest';
import {
  findSlugs,
  getBasePath,
  isWebServerConfig,
  listPageFile,
  listUrl,
  NAMES_INDEX_FILE,
  namesFile,
  parseRecordPath,
  recordFile,
  recordUrl,
} from '../../src/contract/paths.ts';

const query = { baseUrl: 'https://example.org/games', links: 'query' } as const;
const file = { ...query, links: 'file' } as const;
const window = { limit: 100, offset: 200 };
const api = 'https://example.org/games/api/gamedata';

describe('paths', () => {
  it.each([
    ['https://example.org', ''],
    ['https://example.org/', ''],
    ['https://example.org/a/b//', '/a/b'],
    ['no URL', ''],
  ])('have the base path of %s: %j', (baseUrl, path) => {
    expect(getBasePath(baseUrl)).toBe(path);
  });

  it('follow the contract for files and URLs', () => {
    expect(listPageFile('move', 0)).toBe('api/gamedata/move/index.json');
    expect(listPageFile('item', 200)).toBe('api/gamedata/item/offset/200/index.json');
    expect(recordFile('move', 'pound')).toBe('api/gamedata/move/pound/index.json');
    expect([NAMES_INDEX_FILE, namesFile('fr')]).toEqual(['names/index.json', 'names/fr.json']);
    expect(recordUrl(query, 'move', 'pound')).toBe(`${api}/move/pound/?format=api`);
    expect(recordUrl(file, 'move', 'pound')).toBe(`${api}/move/pound/index.json?format=api`);
    expect(listUrl(query, 'item')).toBe(`${api}/item/?format=api`);
    expect(listUrl(query, 'item', window)).toBe(`${api}/item/?format=api&limit=100&offset=200`);
    expect(listUrl(query, 'item', window, 'json')).toBe(`${api}/item/?format=json&limit=100&offset=200`);
    expect(listUrl(file, 'item')).toBe(`${api}/item/index.json?format=api`);
    const [first, third] = [{ limit: 100, offset: 0 }, window].map((at) => listUrl(file, 'item', at));
    expect(first).toBe(`${api}/item/index.json?format=api&limit=100&offset=0`);
    expect(third).toBe(`${api}/item/offset/200/index.json?format=api&limit=100&offset=200`);
  });

  it.each([
    ['/api/gamedata/move/pound/', { kind: 'move', slug: 'pound' }],
    ['/api/gamedata/item/pound', { kind: 'item', slug: 'pound' }],
    ['/api/gamedata/move/', undefined],
    ['/api/gamedata/move/pound/index.json', undefined],
    ['/api/gamedata/other/pound/', undefined],
    ['/x/api/gamedata/move/', undefined],
  ])('name the kind and slug of %s', (address, expected) => {
    expect(parseRecordPath(address)).toEqual(expected);
  });

  it('of server configuration are in one folder', () => {
    expect(['_hosts/nginx.conf', 'x/_hosts/', '_redirects'].map(isWebServerConfig)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('of files name the records of a kind', () => {
    const files = [
      'api/gamedata/index.json',
      'api/gamedata/item/potion/index.json',
      'api/gamedata/move/index.json',
      'api/gamedata/move/offset/100/index.json',
      'api/gamedata/move/pound/index.json',
      'api/gamedata/move/x/index.json',
      'mirror/api/gamedata/move/y/index.json',
    ];
    expect(findSlugs('move', files)).toEqual(['pound', 'x']);
    expect(findSlugs('item', files)).toEqual(['potion']);
  });
});
