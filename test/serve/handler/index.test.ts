import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const LIST = '/api/gamedata/move/';
const CORS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

/**
 * Changes files of a small site, and returns a function that sends requests to it.
 */
function changeSite(changes: Record<string, string | null>) {
  const { send } = handledSite(rawRecords(2, 1), {}, changes);
  return send;
}

describe('ETags', () => {
  const { send, files } = handledSite(recordsWithGaps());

  async function readEtag(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const response = await send(path, { headers });
    return response.headers.etag ?? '';
  }

  function revalidate(path: string, etag: string, method = 'GET') {
    return send(path, { method, headers: { 'If-None-Match': etag } });
  }

  const validated = [
    '/api/gamedata/',
    LIST,
    `${LIST}pound/`,
    `${LIST}?offset=300`,
    `${LIST}?limit=7&offset=95`,
    `${LIST}?limit=7&offset=5000`,
    '/meta.json',
  ];

  it.each(validated)(
    'responds with 304 if the client sends the current ETag: %s',
    async (path) => {
      const etag = await readEtag(path);
      expect(etag).toMatch(/^"[!#-~]+"$/);
      const matchingLists = [
        etag,
        `W/${etag}`,
        '*',
        `"other", ${etag}`,
        `"other",W/${etag} `,
      ];
      for (const ifNoneMatch of matchingLists) {
        const response = await revalidate(path, ifNoneMatch);
        expect(response, ifNoneMatch).toMatchObject({ status: 304, text: '' });
        expect(response.headers).toMatchObject({ etag, ...CORS });
        expect(response.headers['content-type']).toBeUndefined();
      }
    },
  );

  it.each(validated)(
    'responds with the content if the client sends another ETag: %s',
    async (path) => {
      const etag = await readEtag(path);
      for (const ifNoneMatch of ['"other"', '', etag.slice(1, -1), `x${etag}`]) {
        const { status } = await revalidate(path, ifNoneMatch);
        expect(status, ifNoneMatch).toBe(200);
      }
    },
  );

  it.each([
    [LIST, 'index.json'],
    [`${LIST}?limit=100&offset=100`, 'offset/100/index.json'],
  ])('uses the ETag of the built page: %s', async (path, file) => {
    const etag = await readEtag(path);
    expect(etag).toBe(files.get(`api/gamedata/move/${file}`)?.etag);
  });

  it.each([
    ['HEAD', LIST, 304],
    ['POST', LIST, 405],
    ['GET', `${LIST}nope/`, 404],
  ])(
    'compares ETags only if the response is not an error: %s %s',
    async (method, path, expected) => {
      const { status } = await revalidate(path, '*', method);
      expect(status).toBe(expected);
    },
  );

  it('sends different ETags for different page ranges, kinds and representations', async () => {
    const paths = [LIST, `${LIST}pound/`];
    for (let offset = 0; offset < 60; offset++) {
      const limit = 1 + (offset % 6);
      const query = `?limit=${limit}&offset=${offset}`;
      paths.push(`${LIST}${query}`, `/api/gamedata/item/${query}`);
    }
    const etags = [await readEtag(LIST, { Accept: 'text/html' })];
    for (const path of paths) etags.push(await readEtag(path));
    expect(new Set(etags).size).toBe(etags.length);
  });

  it('sends the same ETag for equivalent queries', async () => {
    const etag = await readEtag(`${LIST}?limit=7&offset=95`);
    expect(await readEtag(`${LIST}?offset=095&limit=%2B7&utm=1`)).toBe(etag);
  });

  it('changes the ETag if the records, their count or the base URL changes', async () => {
    const raw = rawRecords(200, 1);
    const changedMoves = raw.move.map((move) => {
      return move.id === 151 ? { ...move, englishName: 'Other' } : move;
    });
    const sites = [
      handledSite(raw),
      handledSite(rawRecords(201, 1)),
      handledSite({ ...raw, move: changedMoves }),
      handledSite(raw, { baseUrl: 'https://other.test' }),
    ];
    const etags = new Set<string | undefined>();
    for (const site of sites) {
      const { headers } = await site.send(`${LIST}?limit=3&offset=150`);
      etags.add(headers.etag);
    }
    expect(etags.size).toBe(sites.length);
  });
});

describe('files', () => {
  const POLICY = 'content-security-policy';
  const html = '<!doctype html>';
  const { send, files } = handledSite(
    rawRecords(101, 3),
    {},
    {
      'index.html': html,
      'browse.html': html,
      'download/gamedata.tar.gz': 'x',
      'x/download/a.bin': 'x',
      '.hidden.json': '{}',
      'my-icons/a_b.c-d.png': 'x',
    },
  );

  it.each([
    ['index.html', 'text/html; charset=utf-8', true],
    ['meta.json', 'application/json', false],
    ['x/download/a.bin', 'application/octet-stream', false],
    ['my-icons/a_b.c-d.png', 'image/png', false],
  ])(
    'sends a media type with each file, and a content security policy only with pages: %s',
    async (file, type, isPage) => {
      const { status, headers, body } = await send(`/${file}`);
      expect([status, new Uint8Array(body)]).toEqual([200, files.get(file)?.body]);
      expect(headers).toMatchObject({
        ...CORS,
        'content-type': type,
        'x-content-type-options': 'nosniff',
      });
      const specialHeaders = [POLICY, 'content-disposition', 'allow'];
      const sentHeaders = specialHeaders.filter((name) => name in headers);
      expect(sentHeaders).toEqual(isPage ? [POLICY] : []);
    },
  );

  it("serves an index page at its folder's URL", async () => {
    const page = await send('/');
    expect(page.text).toBe(html);
  });

  it.each([
    ['/', 204],
    ['/none.json', 404],
  ])('responds to OPTIONS only if the file exists: %s', async (path, expected) => {
    const { status } = await send(path, { method: 'OPTIONS' });
    expect(status).toBe(expected);
  });

  it('sends different headers for downloads and for API files', async () => {
    const archive = await send('/download/gamedata.tar.gz');
    expect(archive.headers).toMatchObject({
      'content-disposition': 'attachment',
      'content-type': 'application/gzip',
    });
    const page = await send('/api/gamedata/move/offset/100/index.json');
    expect(page.headers.allow).toBe('GET, HEAD, OPTIONS');
  });
});

describe("a renamed record's old URL", () => {
  const OLD = `${LIST}move-1/`;
  const NEW = `${LIST}new/`;
  const removed = { 'api/gamedata/move/move-1/index.json': null };
  const moved = { 'moved.json': JSON.stringify({ [OLD]: NEW }) };
  const send = changeSite({ ...removed, ...moved });

  it.each([{}, { headers: { Accept: 'text/html' } }, { method: 'HEAD' }])(
    "redirects a renamed record's old URL for a request with the options %j",
    async (init) => {
      const { status, headers } = await send(`${OLD}?format=api&x=%20`, init);
      expect(status).toBe(301);
      expect(headers).toMatchObject({
        ...CORS,
        location: `${NEW}?format=api&x=%20`,
        'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      });
    },
  );

  it.each([
    ['an unknown format', `${OLD}?format=xml`, {}, 404],
    ['a method that is not allowed', OLD, { method: 'POST' }, 405],
    ['a different kind', '/api/gamedata/item/move-1/', {}, 404],
    ['a property of every object', `${LIST}constructor/`, {}, 404],
  ] as const)(
    'does not redirect a request for %s',
    async (_, path, init, expected) => {
      const { status } = await send(path, init);
      expect(status).toBe(expected);
    },
  );

  it.each([
    ['a record has the URL now', moved, 200],
    ['the site has no moved.json', { ...removed, 'moved.json': null }, 404],
    ['the table does not contain the URL', { ...removed, 'moved.json': '{}' }, 404],
  ])(
    "does not redirect a renamed record's old URL if %s",
    async (_, changes, expected) => {
      const sendToChangedSite = changeSite(changes);
      const { status } = await sendToChangedSite(OLD);
      expect(status).toBe(expected);
    },
  );
});

describe('an icon that the site does not contain', () => {
  const upstream = 'https://icons.test/items';
  const standard =
    'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

  it.each<[meta: object | null, base: string | undefined]>([
    [{ sprites: { mode: 'link', upstream } }, upstream],
    [{ sprites: { mode: 'mirror', upstream } }, undefined],
    [{}, standard],
    [null, standard],
  ])(
    'redirects a missing icon according to the meta.json %j: to %s',
    async (meta, base) => {
      const send = changeSite({ 'meta.json': meta && JSON.stringify(meta) });
      const expected = base ? [302, `${base}/a.png`] : [404, undefined];
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await send('/sprites/items/a.png', { method });
        expect([status, headers.location]).toEqual(expected);
        expect(headers).toMatchObject(CORS);
      }
    },
  );

  it('does not redirect a missing file outside the icon folder', async () => {
    const { status } = await handledSite(rawRecords(2, 1)).send('/sprites/a.png');
    expect(status).toBe(404);
  });
});
