import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const { ask } = handledSite(recordsWithGaps());

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

  it('of a window change with its records, the count and the base URL', async () => {
    const raw = rawRecords(400, 1);
    const renamed = raw.move.map((move) => (move.id === 151 ? { ...move, englishName: 'Other' } : move));
    const root = '{"move":"https://other.test/api/gamedata/move/?format=api"}';
    const sites = [
      handledSite(raw),
      handledSite(rawRecords(401, 1)),
      handledSite({ ...raw, move: renamed }),
      handledSite(raw, {}, { 'api/gamedata/index.json': root }),
    ];
    const asked = sites.map(({ ask }) => ask('/api/gamedata/move/?limit=3&offset=150'));
    const etags = (await Promise.all(asked)).map(({ headers }) => headers.get('etag'));
    expect(new Set(etags).size).toBe(4);
  });
});
