import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawMove, rawRecords } from '../../support/sites.ts';

const { ask, files } = handledSite(recordsWithGaps());

const etagOf = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await ask(path, { headers })).headers.get('etag') ?? '';

const paths = [
  '/api/gamedata/',
  '/api/gamedata/move/',
  '/api/gamedata/move/pound/',
  '/api/gamedata/move/?offset=300',
  '/api/gamedata/move/?limit=7&offset=95',
  '/api/gamedata/move/?limit=7&offset=5000',
  '/meta.json',
];

describe('ETags', () => {
  it.each(paths)('%s is 304 for who has it, and only then', async (path) => {
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[!#-~]+"$/);
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag} `]) {
      const response = await ask(path, { headers: { 'If-None-Match': known } });
      expect(response.status, known).toBe(304);
      expect(await response.text()).toBe('');
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('content-type')).toBeNull();
    }
    for (const unknown of ['"other"', '', etag.slice(1, -1), `x${etag}`]) {
      expect((await ask(path, { headers: { 'If-None-Match': unknown } })).status, unknown).toBe(200);
    }
  });

  it('hold for HEAD, and are not requested if the response is an error', async () => {
    const etag = await etagOf('/api/gamedata/move/');
    const known = { 'If-None-Match': etag };
    expect((await ask('/api/gamedata/move/', { method: 'HEAD', headers: known })).status).toBe(304);
    expect((await ask('/api/gamedata/move/', { method: 'POST', headers: known })).status).toBe(405);
    expect((await ask('/api/gamedata/move/nope/', { headers: { 'If-None-Match': '*' } })).status).toBe(404);
  });

  it('differ for what differs: windows, kinds, representations', async () => {
    const etags = [
      ...(await Promise.all(
        [...Array(60).keys()].flatMap((at) =>
          ['move', 'item'].map((kind) => etagOf(`/api/gamedata/${kind}/?limit=${1 + (at % 6)}&offset=${at}`)),
        ),
      )),
      await etagOf('/api/gamedata/move/', { Accept: 'text/html' }),
      await etagOf('/api/gamedata/move/'),
      await etagOf('/api/gamedata/move/pound/'),
    ];
    expect(new Set(etags).size).toBe(etags.length);
  });

  it('are the same for the same answer, however it was requested', async () => {
    const path = '/api/gamedata/move/?limit=7&offset=95';
    expect(await etagOf('/api/gamedata/move/?offset=095&limit=%2B7&utm=1')).toBe(await etagOf(path));
    expect(await etagOf('/api/gamedata/move/?offset=100&limit=100')).toBe(
      await etagOf('/api/gamedata/move/?offset=100'),
    );
  });

  it('of a window change with its records, and with the count', async () => {
    const path = '/api/gamedata/move/?limit=3&offset=150';
    const etags = await Promise.all(
      [rawRecords(400, 1), rawRecords(401, 1), renamed(151)].map(async (raw) => {
        const response = await handledSite(raw).ask(path);
        return response.headers.get('etag');
      }),
    );
    expect(new Set(etags).size).toBe(3);
  });
});

/** Four hundred moves, one of them with another name. */
function renamed(id: number) {
  const { move, item } = rawRecords(400, 1);
  return {
    item,
    move: move.map((record) => (record.id === id ? rawMove(id, { englishName: 'Other' }) : record)),
  };
}

describe('files at their own addresses', () => {
  it.each([
    ['/meta.json', 'application/json'],
    ['/sprites/items/unknown.png', 'image/png'],
    ['/browse.html', 'text/html; charset=utf-8'],
    ['/api/gamedata/move/offset/100/index.json', 'application/json'],
  ])('%s is %s', async (path, type) => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(files.get(path.slice(1))?.body);
    expect((await ask(path, { method: 'POST' })).status).toBe(405);
  });

  it('or, for an icon that the site does not hold, at the upstream’s', async () => {
    const path = '/sprites/items/master-ball.png';
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(path, { method });
      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toBe(
        'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/master-ball.png',
      );
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await ask(path, { method: 'POST' })).status).toBe(405);
    expect((await ask('/sprites/master-ball.png')).status).toBe(404);
  });
});
