import { describe, expect, it } from 'vitest';
import { handledSite } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const over = (changes: Record<string, string | null>) => handledSite(rawRecords(2, 1), {}, changes).ask;
const OLD = '/api/gamedata/move/move-1/';
const NEW = '/api/gamedata/move/new/';
const removed = { 'api/gamedata/move/move-1/index.json': null };
const table = JSON.stringify({ [OLD]: NEW });

describe('the old address of a renamed record', () => {
  const ask = over({ ...removed, 'moved.json': table });

  it.each([
    [OLD, NEW, {}],
    [`${OLD}?format=api&x=%20`, `${NEW}?format=api&x=%20`, {}],
    [OLD, NEW, { headers: { Accept: 'text/html' } }],
    [OLD, NEW, { method: 'HEAD' }],
  ])('%s redirects to %s for %j', async (path, location, init) => {
    const response = await ask(path, init);
    expect(response.status).toBe(301);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location,
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    });
  });

  it.each([
    ['an unknown format', `${OLD}?format=xml`, {}, 404],
    ['a method that is not allowed', OLD, { method: 'POST' }, 405],
    ['another kind', '/api/gamedata/item/move-1/', {}, 404],
    ['what is no record', '/api/gamedata/move/constructor/', {}, 404],
  ] as const)('comes after %s', async (_, path, init, status) => {
    expect((await ask(path, init)).status).toBe(status);
  });

  it.each([
    ['a record that has it now', { 'moved.json': table }, 200],
    ['a site that says nothing of it', { ...removed, 'moved.json': null }, 404],
    ['a table without it', { ...removed, 'moved.json': '{}' }, 404],
    ['a table of something else', { ...removed, 'moved.json': `{"${OLD}":1}` }, 404],
  ])('gives way to %s', async (_, changes, status) => {
    expect((await over(changes)(OLD)).status).toBe(status);
  });
});

describe('an icon that the site does not hold', () => {
  const upstream = 'https://icons.test/items';
  const standard = 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

  it.each<[meta: object | null, base: string | null]>([
    [{ sprites: { mode: 'link', upstream } }, upstream],
    [{ sprites: { mode: 'link', upstream: 5 } }, null],
    [{ sprites: { mode: 'mirror', upstream } }, null],
    [{ sprites: { mode: 'none', upstream: null } }, null],
    [{ sprites: { mode: 'other', upstream } }, standard],
    [{}, standard],
    [null, standard],
  ])('of a site that says %j of itself is below %s', async (meta, base) => {
    const ask = over({ 'meta.json': meta && JSON.stringify(meta) });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask('/sprites/items/a.png', { method });
      expect(status).toBe(base === null ? 404 : 302);
      expect(headers.get('location')).toBe(base && `${base}/a.png`);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    }
    expect((await ask('/sprites/a.png')).status).toBe(404);
  });
});
