import { describe, expect, it, vi } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const LIST = '/api/gamedata/move/';
const CORS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const changeSite = (changes: Record<string, string | null>) =>
  handledSite(rawRecords(2, 1), {}, changes).send;

describe('an ETag', () => {
  const { send, files } = handledSite(recordsWithGaps());
  const readEtag = async (path: string, headers: Record<string, string> = {}) =>
    (await send(path, { headers })).headers.etag ?? '';
  const revalidate = (path: string, etag: string, method = 'GET') =>
    send(path, { method, headers: { 'If-None-Match': etag } });

  it.each([
    ...['/api/gamedata/', LIST, `${LIST}pound/`, `${LIST}?offset=300`, '/meta.json'],
    ...[`${LIST}?limit=7&offset=95`, `${LIST}?limit=7&offset=5000`],
  ])('revalidates %s', async (path) => {
    const etag = await readEtag(path);
    expect(etag).toMatch(/^"[!#-~]+"$/);
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag} `]) {
      const response = await revalidate(path, known);
      expect(response, known).toMatchObject({ status: 304, text: '', headers: { etag, ...CORS } });
      expect(response.headers['content-type']).toBeUndefined();
    }
    for (const unknown of ['"other"', '', etag.slice(1, -1), `x${etag}`])
      expect((await revalidate(path, unknown)).status, unknown).toBe(200);
  });

  it.each([LIST, `${LIST}?limit=100&offset=100`])(
    'is the ETag of the built page: %s',
    async (path) => {
      const file = `api/gamedata/move/${path === LIST ? '' : 'offset/100/'}index.json`;
      expect(await readEtag(path)).toBe(files.get(file)?.etag);
    },
  );

  it('revalidates HEAD, but not errors', async () => {
    const etag = await readEtag(LIST);
    expect((await revalidate(LIST, etag, 'HEAD')).status).toBe(304);
    expect((await revalidate(LIST, etag, 'POST')).status).toBe(405);
    expect((await revalidate(`${LIST}nope/`, '*')).status).toBe(404);
  });

  it('differs between page ranges, kinds and representations, but not between equivalent queries', async () => {
    const queries = Array.from({ length: 60 }, (_, at) => `?limit=${1 + (at % 6)}&offset=${at}`);
    const paths = queries.flatMap((query) => [`${LIST}${query}`, `/api/gamedata/item/${query}`]);
    const etags = await Promise.all(
      [...paths, LIST, `${LIST}pound/`].map((path) => readEtag(path)),
    );
    etags.push(await readEtag(LIST, { Accept: 'text/html' }));
    expect(new Set(etags).size).toBe(etags.length);
    const [etag, same] = [`?limit=7&offset=95`, '?offset=095&limit=%2B7&utm=1'].map((query) =>
      readEtag(LIST + query),
    );
    expect(await same).toBe(await etag);
  });

  it("changes with the page range's records, the count and the base URL", async () => {
    const raw = rawRecords(200, 1);
    const move = raw.move.map((one) => (one.id === 151 ? { ...one, englishName: 'Other' } : one));
    const baseUrl = 'https://other.test';
    const changed = [
      handledSite(rawRecords(201, 1)),
      handledSite({ ...raw, move }),
      handledSite(raw, { baseUrl }),
    ];
    const sites = [handledSite(raw), ...changed];
    const responses = await Promise.all(
      sites.map(({ send }) => send(`${LIST}?limit=3&offset=150`)),
    );
    expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(4);
  });
});

describe('a file', () => {
  const POLICY = 'content-security-policy';
  const html = '<!doctype html>';
  const pages = { 'index.html': html, 'browse.html': html };
  const archives = { 'download/gamedata.tar.gz': 'x', 'x/download/a.bin': 'x' };
  const others = { '.hidden.json': '{}', 'my-icons/a_b.c-d.png': 'x' };
  const { send, files } = handledSite(rawRecords(101, 3), {}, { ...pages, ...archives, ...others });

  it.each([
    ['index.html', 'text/html; charset=utf-8', true],
    ['meta.json', 'application/json', false],
    ['x/download/a.bin', 'application/octet-stream', false],
    ['my-icons/a_b.c-d.png', 'image/png', false],
  ])(
    'has a media type, and a content security policy if it is a page: %s',
    async (file, type, isPage) => {
      const { status, headers, body } = await send(`/${file}`);
      expect([status, new Uint8Array(body)]).toEqual([200, files.get(file)?.body]);
      expect(headers).toMatchObject({
        ...CORS,
        'content-type': type,
        'x-content-type-options': 'nosniff',
      });
      const own = [POLICY, 'content-disposition', 'allow'].filter((name) => name in headers);
      expect(own).toEqual(isPage ? [POLICY] : []);
      expect((await send(`/${file}`, { method: 'POST' })).status).toBe(405);
      const options = await send(`/${file}`, { method: 'OPTIONS' });
      expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    },
  );

  it("is served at its folder's URL if it is an index page", async () => {
    expect((await send('/')).text).toBe(html);
    expect((await send('/', { method: 'OPTIONS' })).status).toBe(204);
    expect((await send('/none.json', { method: 'OPTIONS' })).status).toBe(404);
  });

  it("has different headers below download/ and the API's prefix", async () => {
    const bulk = { 'content-disposition': 'attachment', 'content-type': 'application/gzip' };
    expect((await send('/download/gamedata.tar.gz')).headers).toMatchObject(bulk);
    const page = await send('/api/gamedata/move/offset/100/index.json');
    expect(page.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it.each(['/%', '/.hidden.json', '/a//b.json', '/none.json'])(
    'is not found at %s',
    async (path) => {
      expect(await send(path)).toMatchObject({
        status: 404,
        headers: { 'cache-control': 'no-cache' },
      });
    },
  );

  it("has a content security policy as a record's page, but not as the record's JSON", async () => {
    const get = (Accept: string) => send('/api/gamedata/move/move-1/', { headers: { Accept } });
    expect(await get('text/html')).toMatchObject({
      text: html,
      headers: { [POLICY]: expect.any(String) },
    });
    expect((await get('*/*')).headers[POLICY]).toBeUndefined();
  });
});

describe('the old URL of a renamed record', () => {
  const OLD = `${LIST}move-1/`;
  const NEW = `${LIST}new/`;
  const removed = { 'api/gamedata/move/move-1/index.json': null };
  const moved = { 'moved.json': JSON.stringify({ [OLD]: NEW }) };
  const send = changeSite({ ...removed, ...moved });

  it.each([{}, { headers: { Accept: 'text/html' } }, { method: 'HEAD' }])(
    'redirects for %j',
    async (init) => {
      const caching = { 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' };
      const headers = { location: `${NEW}?format=api&x=%20`, ...CORS, ...caching };
      expect(await send(`${OLD}?format=api&x=%20`, init)).toMatchObject({ status: 301, headers });
    },
  );

  it('redirects without parsing moved.json again', async () => {
    await send(OLD);
    const parse = vi.spyOn(JSON, 'parse');
    expect((await send(OLD)).status).toBe(301);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it.each([
    ['an unknown format', `${OLD}?format=xml`, {}, 404],
    ['a method that is not allowed', OLD, { method: 'POST' }, 405],
    ['a different kind', '/api/gamedata/item/move-1/', {}, 404],
    ['a property of every object', `${LIST}constructor/`, {}, 404],
  ] as const)('does not redirect %s', async (_, path, init, status) => {
    expect((await send(path, init)).status).toBe(status);
  });

  it.each([
    ['a record has the URL now', moved, 200],
    ['the site has no moved.json', { ...removed, 'moved.json': null }, 404],
    ['the table lacks the URL', { ...removed, 'moved.json': '{}' }, 404],
    ['moved.json is invalid', { ...removed, 'moved.json': `{"${OLD}":1}` }, 404],
  ])('does not redirect if %s', async (_, changes, status) => {
    expect((await changeSite(changes)(OLD)).status).toBe(status);
  });
});

describe('an icon that the site does not contain', () => {
  const upstream = 'https://icons.test/items';
  const standard = 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

  it.each<[meta: object | null, base: string | undefined]>([
    [{ sprites: { mode: 'link', upstream } }, upstream],
    [{ sprites: { mode: 'mirror', upstream } }, undefined],
    [{}, standard],
    [null, standard],
  ])('redirects for meta.json %j to %s', async (meta, base) => {
    const send = changeSite({ 'meta.json': meta && JSON.stringify(meta) });
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send('/sprites/items/a.png', { method });
      expect([status, headers.location]).toEqual(base ? [302, `${base}/a.png`] : [404, undefined]);
      expect(headers).toMatchObject(CORS);
    }
    expect((await send('/sprites/a.png')).status).toBe(404);
  });
});
