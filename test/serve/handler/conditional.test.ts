import { describe, expect, it } from 'vitest';
import { handledSite, recordsWithGaps } from '../../support/handled-site.ts';
import { rawRecords } from '../../support/sites.ts';

const { ask } = handledSite(recordsWithGaps());
const LIST = '/api/gamedata/move/';

const etagOf = async (path: string, headers: Record<string, string> = {}) =>
  (await ask(path, { headers })).headers.get('etag') ?? '';
const statusFor = async (path: string, etag: string, method = 'GET') =>
  (await ask(path, { method, headers: { 'If-None-Match': etag } })).status;

describe('ETags', () => {
  it.each([
    '/api/gamedata/',
    LIST,
    `${LIST}pound/`,
    `${LIST}?offset=300`,
    `${LIST}?limit=7&offset=95`,
    `${LIST}?limit=7&offset=5000`,
    '/meta.json',
  ])('%s is 304 for who has it, and only then', async (path) => {
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[!#-~]+"$/);
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"other",W/${etag} `]) {
      const response = await ask(path, { headers: { 'If-None-Match': known } });
      expect([known, response.status, await response.text()]).toEqual([known, 304, '']);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        etag,
        'access-control-allow-origin': '*',
      });
      expect(response.headers.has('content-type')).toBe(false);
    }
    for (const unknown of ['"other"', '', etag.slice(1, -1), `x${etag}`])
      expect(await statusFor(path, unknown), unknown).toBe(200);
  });

  it('hold for HEAD, and are not requested if the response is an error', async () => {
    const etag = await etagOf(LIST);
    expect(await statusFor(LIST, etag, 'HEAD')).toBe(304);
    expect(await statusFor(LIST, etag, 'POST')).toBe(405);
    expect(await statusFor(`${LIST}nope/`, '*')).toBe(404);
  });

  it('differ for what differs: windows, kinds, representations', async () => {
    const windows = Array.from({ length: 60 }, (_, at) => `?limit=${1 + (at % 6)}&offset=${at}`);
    const paths = ['move', 'item'].flatMap((kind) =>
      windows.map((query) => `/api/gamedata/${kind}/${query}`),
    );
    const etags = await Promise.all([
      ...[...paths, LIST, `${LIST}pound/`].map((path) => etagOf(path)),
      etagOf(LIST, { Accept: 'text/html' }),
    ]);
    expect(new Set(etags).size).toBe(etags.length);
  });

  it.each([
    ['?offset=095&limit=%2B7&utm=1', '?limit=7&offset=95'],
    ['?offset=100&limit=100', '?offset=100'],
  ])('are the same for the same answer, however it was requested: %s', async (one, other) => {
    expect(await etagOf(LIST + one)).toBe(await etagOf(LIST + other));
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
    const asked = sites.map(({ ask }) => ask(`${LIST}?limit=3&offset=150`));
    const etags = (await Promise.all(asked)).map(({ headers }) => headers.get('etag'));
    expect(new Set(etags).size).toBe(4);
  });
});
