import { describe, expect, it } from 'vitest';
import { type AssetStore, createHandler } from '../../../src/serve/handler/index.ts';
import { rawRecords, siteOf } from '../../support/sites.ts';

/** The handler over the files of a small site, some of which are replaced, added or, with null, removed. */
function handlerOver(changes: Record<string, string | null>) {
  const files = new Map(
    siteOf(rawRecords(250, 3))
      .files()
      .map(({ path, body }) => [path, Buffer.from(body)]),
  );
  for (const [path, body] of Object.entries(changes)) {
    if (body === null) files.delete(path);
    else files.set(path, Buffer.from(body));
  }
  const store: AssetStore = {
    get: async (file) => {
      const body = files.get(file);
      return body && { body: new Uint8Array(body), etag: `"${body.toString('base64').slice(0, 200)}"` };
    },
  };
  const handle = createHandler(store);
  return (path: string, init?: RequestInit) => handle(new Request(`https://host.test${path}`, init));
}

const policy = 'content-security-policy';
const html = '<!doctype html>';

describe('a file', () => {
  const ask = handlerOver({
    'index.html': html,
    'browse.html': html,
    'download/gamedata.tar.gz': 'x',
    'x/download/a.bin': 'x',
    'my-icons/a_b.c-d.png': 'x',
    '.hidden.json': '{}',
  });

  it.each([
    ['/', 'text/html; charset=utf-8', true],
    ['/index.html', 'text/html; charset=utf-8', true],
    ['/meta.json', 'application/json', false],
    ['/x/download/a.bin', 'application/octet-stream', false],
    ['/my-icons/a_b.c-d.png', 'image/png', false],
  ])('%s is %s, with a policy if it is a page', async (path, type, isPage) => {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.has(policy)).toBe(isPage);
    expect(headers.has('content-disposition')).toBe(false);
    expect(headers.has('allow')).toBe(false);
  });

  it('below download/ is saved, and below the API’s prefix has its headers', async () => {
    const { headers } = await ask('/download/gamedata.tar.gz');
    expect(headers.get('content-disposition')).toBe('attachment');
    expect(headers.get('content-type')).toBe('application/gzip');
    const page = await ask('/api/gamedata/move/offset/100/index.json');
    expect(page.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it.each(['/%', '/.hidden.json', '/a//b.json', '/none.json'])('%s is not there', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('is a page with a policy in place of JSON, whose own response has none', async () => {
    const [page, json] = await Promise.all(
      ['text/html', '*/*'].map((Accept) => ask('/api/gamedata/move/move-1/', { headers: { Accept } })),
    );
    expect([page?.headers.has(policy), json?.headers.has(policy)]).toEqual([true, false]);
    expect(await page?.text()).toBe(html);
  });
});

describe('an icon that the site does not hold', () => {
  const upstream = 'https://icons.test/items';
  it.each<[sprites: unknown, location: string | null]>([
    [{ mode: 'link', upstream }, `${upstream}/a.png`],
    [{ mode: 'link', upstream: 5 }, null],
    [{ mode: 'mirror', upstream }, null],
    [{ mode: 'none', upstream: null }, null],
    [
      { mode: 'other', upstream },
      'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/a.png',
    ],
    [undefined, 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/a.png'],
  ])('of a site that says %j is at %s', async (sprites, location) => {
    const ask = handlerOver({ 'meta.json': JSON.stringify({ sprites }) });
    const response = await ask('/sprites/items/a.png');
    expect(response.status).toBe(location === null ? 404 : 302);
    expect(response.headers.get('location')).toBe(location);
  });

  it('is at the default upstream if the site says nothing of itself', async () => {
    const response = await handlerOver({ 'meta.json': null })('/sprites/items/a.png');
    expect(response.status).toBe(302);
  });
});

describe('a list that is incomplete', () => {
  it.each([
    'api/gamedata/move/index.json',
    'api/gamedata/index.json',
    'api/gamedata/move/offset/100/index.json',
  ])('has no window over the missing %s', async (file) => {
    const ask = handlerOver({ [file]: null });
    expect((await ask('/api/gamedata/move/?limit=7&offset=95')).status).toBe(404);
  });
});

describe('an ETag', () => {
  const window = '/api/gamedata/move/?limit=7&offset=95';
  const etag = async (changes: Record<string, string | null>, path = window, accept = '*/*') =>
    (await handlerOver(changes)(path, { headers: { Accept: accept } })).headers.get('etag');

  it('of a window changes with the site’s base URL', async () => {
    const root = JSON.stringify({ move: 'https://other.test/api/gamedata/move/?format=api' });
    expect(await etag({})).not.toBe(await etag({ 'api/gamedata/index.json': root }));
  });
});
