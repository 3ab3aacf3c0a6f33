import { describe, expect, it } from 'vitest';
import { createFetchStore } from '../../../src/serve/handler/edge.ts';
import { handledSite } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const policy = 'content-security-policy';
const html = '<!doctype html>';
const { ask, files } = handledSite(
  rawRecords(250, 3),
  {},
  {
    'index.html': html,
    'browse.html': html,
    'changes.atom': '<feed/>',
    'download/gamedata.tar.gz': 'x',
    'x/download/a.bin': 'x',
    'my-icons/a_b.c-d.png': 'x',
    '.hidden.json': '{}',
  },
);

describe('a file at its own address', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8', true],
    ['browse.html', 'text/html; charset=utf-8', true],
    ['meta.json', 'application/json', false],
    ['changes.atom', 'application/atom+xml', false],
    ['x/download/a.bin', 'application/octet-stream', false],
    ['my-icons/a_b.c-d.png', 'image/png', false],
    ['sprites/items/unknown.png', 'image/png', false],
  ])('%s is %s, with a policy if it is a page', async (file, type, isPage) => {
    const response = await ask(`/${file}`);
    const { status, headers } = response;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.has(policy)).toBe(isPage);
    expect(headers.has('content-disposition')).toBe(false);
    expect(headers.has('allow')).toBe(false);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(files.get(file)?.body);
    expect((await ask(`/${file}`, { method: 'POST' })).status).toBe(405);
    const options = await ask(`/${file}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('is the one of its folder, too', async () => {
    expect(await (await ask('/')).text()).toBe(html);
    expect((await ask('/', { method: 'OPTIONS' })).status).toBe(204);
    expect((await ask('/none.json', { method: 'OPTIONS' })).status).toBe(404);
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

describe('a store over what a host fetches', () => {
  const fetched = (body: string | null, init?: ResponseInit) =>
    createFetchStore(async () => new Response(body, init)).get('a.json');

  it('takes the host’s ETag', async () => {
    const asset = await fetched('{}', { headers: { ETag: 'W/"1"' } });
    expect(asset).toEqual({ body: new Uint8Array([0x7b, 0x7d]), etag: 'W/"1"' });
  });

  it('makes one of the content if the host has none', async () => {
    const [first, same, other] = await Promise.all(['{}', '{}', '[]'].map((body) => fetched(body)));
    expect(first?.etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(same?.etag).toBe(first?.etag);
    expect(other?.etag).not.toBe(first?.etag);
  });

  it.each([301, 302, 304, 404, 500])('has nothing if the host says %i', async (status) => {
    expect(await fetched(status === 304 ? null : 'x', { status })).toBeUndefined();
  });
});
