import { describe, expect, it } from 'vitest';
import { handledSite } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const over = (changes: Record<string, string | null>) => handledSite(rawRecords(2, 1), {}, changes).ask;
const removed = { 'api/gamedata/move/move-1/index.json': null };
const moved = { ...removed, 'moved.json': '{"/api/gamedata/move/move-1/":"/api/gamedata/move/new/"}' };

describe('the old address of a renamed record', () => {
  it.each([
    ['/api/gamedata/move/move-1/', '/api/gamedata/move/new/', {}],
    ['/api/gamedata/move/move-1/?format=api&x=%20', '/api/gamedata/move/new/?format=api&x=%20', {}],
    ['/api/gamedata/move/move-1/', '/api/gamedata/move/new/', { headers: { Accept: 'text/html' } }],
    ['/api/gamedata/move/move-1/', '/api/gamedata/move/new/', { method: 'HEAD' }],
  ])('%s redirects to %s for %j', async (path, location, init) => {
    const response = await over(moved)(path, init);
    expect(response.status).toBe(301);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location,
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    });
  });

  it.each([
    ['an unknown format', '/api/gamedata/move/move-1/?format=xml', {}, 404],
    ['a method that is not allowed', '/api/gamedata/move/move-1/', { method: 'POST' }, 405],
    ['a type that is not to be had', '/api/gamedata/move/move-1/', { headers: { Accept: 'image/png' } }, 406],
    ['another kind', '/api/gamedata/item/move-1/', {}, 404],
    ['what is no record', '/api/gamedata/move/constructor/', {}, 404],
  ] as const)('comes after %s', async (_, path, init, status) => {
    expect((await over(moved)(path, init)).status).toBe(status);
  });

  it.each([
    ['a record that has it now', { 'moved.json': moved['moved.json'] }, 'move-1', 200],
    ['a site that says nothing of it', { ...removed, 'moved.json': null }, 'move-1', 404],
    ['a table without it', { ...removed, 'moved.json': '{}' }, 'move-1', 404],
    [
      'a table of something else',
      { ...removed, 'moved.json': '{"/api/gamedata/move/move-1/":1}' },
      'move-1',
      404,
    ],
    ['the names that every object has', { 'moved.json': '{}' }, 'tostring', 404],
  ])('gives way to %s', async (_, changes, slug, status) => {
    expect((await over(changes)(`/api/gamedata/move/${slug}/`)).status).toBe(status);
  });
});

describe('an icon that the site does not hold', () => {
  const upstream = 'https://icons.test/items';
  const fallback = 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

  it.each<[sprites: unknown, base: string | null]>([
    [{ mode: 'link', upstream }, upstream],
    [{ mode: 'link', upstream: 5 }, null],
    [{ mode: 'mirror', upstream }, null],
    [{ mode: 'none', upstream: null }, null],
    [{ mode: 'other', upstream }, fallback],
    [undefined, fallback],
  ])('of a site that says %j is below %s', async (sprites, base) => {
    const ask = over({ 'meta.json': JSON.stringify({ sprites }) });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask('/sprites/items/a.png', { method });
      expect(status).toBe(base === null ? 404 : 302);
      expect(headers.get('location')).toBe(base && `${base}/a.png`);
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await ask('/sprites/a.png')).status).toBe(404);
  });

  it('is at the default upstream if the site says nothing of itself', async () => {
    const response = await over({ 'meta.json': null })('/sprites/items/a.png');
    expect(response.headers.get('location')).toBe(`${fallback}/a.png`);
  });
});
