import { describe, expect, it } from 'vitest';
import { type AssetStore, createHandler } from '../../../src/serve/handler/index.ts';
import { renamedSite } from '../../support/data-set-versions.ts';

/** The handler over a site in which `move-1` has become `new`. */
function renamedHandler(moved?: string | null) {
  const files = new Map([...renamedSite().files()].map(({ path, body }) => [path, Buffer.from(body)]));
  if (moved === null) files.delete('moved.json');
  else if (moved !== undefined) files.set('moved.json', Buffer.from(moved));
  const store: AssetStore = {
    get: async (file) => {
      const body = files.get(file);
      return body && { body: new Uint8Array(body), etag: `"${body.toString('base64').slice(0, 40)}"` };
    },
  };
  const handle = createHandler(store);
  return (path: string, init?: RequestInit) => handle(new Request(`https://host.test${path}`, init));
}

describe('the old address of a renamed record', () => {
  it.each([
    ['/api/gamedata/move/move-1/', '/api/gamedata/move/new/'],
    ['/api/gamedata/move/move-1/?format=api&x=%20', '/api/gamedata/move/new/?format=api&x=%20'],
  ])('%s redirects to %s', async (path, location) => {
    const response = await renamedHandler()(path);
    expect(response.status).toBe(301);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location,
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    });
  });

  it('redirects a browser and HEAD too', async () => {
    const ask = renamedHandler();
    expect((await ask('/api/gamedata/move/move-1/', { headers: { Accept: 'text/html' } })).status).toBe(301);
    expect((await ask('/api/gamedata/move/move-1/', { method: 'HEAD' })).status).toBe(301);
  });

  it.each([
    ['an unknown format', '/api/gamedata/move/move-1/?format=xml', {}, 404],
    ['a method that is not allowed', '/api/gamedata/move/move-1/', { method: 'POST' }, 405],
    ['a type that is not to be had', '/api/gamedata/move/move-1/', { headers: { Accept: 'image/png' } }, 406],
    ['another kind', '/api/gamedata/item/move-1/', {}, 404],
    ['what is no record', '/api/gamedata/move/constructor/', {}, 404],
  ] as const)('comes after %s', async (_, path, init, status) => {
    expect((await renamedHandler()(path, init)).status).toBe(status);
  });

  it.each([
    ['a record that has it now', '{"/api/gamedata/move/move-2/":"/api/gamedata/move/new/"}', 'move-2', 200],
    ['a site that says nothing of it', null, 'move-1', 404],
    ['a table without it', '{}', 'move-1', 404],
    ['a table of something else', '{"/api/gamedata/move/move-1/":1}', 'move-1', 404],
    ['the names that every object has', '{}', 'tostring', 404],
  ])('gives way to %s', async (_, moved, slug, status) => {
    expect((await renamedHandler(moved)(`/api/gamedata/move/${slug}/`)).status).toBe(status);
  });
});
