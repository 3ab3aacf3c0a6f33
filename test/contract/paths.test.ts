import { describe, expect, it } from 'vitest';
import { listPageFile, listUrl, pathOf, recordFile, recordUrl, slugsOf } from '../../src/contract/paths.ts';

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
  ])('below the base URL %s begin with %j', (baseUrl, path) => {
    expect(pathOf(baseUrl)).toBe(path);
  });

  it.each([
    [listPageFile('move', 0), 'api/gamedata/move/index.json'],
    [listPageFile('item', 200), 'api/gamedata/item/offset/200/index.json'],
    [recordFile('move', 'pound'), 'api/gamedata/move/pound/index.json'],
    [recordUrl(query, 'move', 'pound'), `${api}/move/pound/?format=api`],
    [recordUrl(file, 'move', 'pound'), `${api}/move/pound/index.json?format=api`],
    [listUrl(query, 'item'), `${api}/item/?format=api`],
    [listUrl(query, 'item', window), `${api}/item/?format=api&limit=100&offset=200`],
    [listUrl(query, 'item', window, 'json'), `${api}/item/?format=json&limit=100&offset=200`],
    [listUrl(file, 'item'), `${api}/item/index.json?format=api`],
    [listUrl(file, 'item', { ...window, offset: 0 }), `${api}/item/index.json?format=api&limit=100&offset=0`],
    [listUrl(file, 'item', window), `${api}/item/offset/200/index.json?format=api&limit=100&offset=200`],
  ])('are %s', (path, expected) => {
    expect(path).toBe(expected);
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
    expect(slugsOf('move', files)).toEqual(['pound', 'x']);
    expect(slugsOf('item', files)).toEqual(['potion']);
  });
});
