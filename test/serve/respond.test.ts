import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { splitTarget } from '../../src/serve/respond.ts';
import {
  PAGE,
  publishSite,
  sendTarget,
  serveSite,
  waitUntil,
} from '../support/serving.ts';

const LIST = '/api/gamedata/move/';

describe('splitTarget', () => {
  it.each([
    ['/a/../b/./%2e%2e?c#d', '/a/../b/./%2e%2e', '?c%23d'],
    ['//host/a', '//host/a', ''],
    ['http://user@example.test:99/a?b', '/a', '?b'],
    ['http://example.test?b', '/', '?b'],
    ['*', '*', ''],
  ])('splits the request target %s', (target, path, search) => {
    expect(splitTarget(target)).toEqual({ path, search });
  });
});

describe('respond', () => {
  it.each<[target: string, status: number, location?: string]>([
    ['/../index.html', 404],
    ['/_headers', 404],
    [`http://example.test${LIST}?limit=2`, 200],
    ['/api/gamedata/move?limit=5#x', 301, `${LIST}?limit=5%23x`],
  ])(
    "serves only the site's files: responds to %j with %i",
    async (target, status, location) => {
      const secret = { path: '_headers', body: 'secret' };
      const { port, problems } = await serveSite({ extras: [PAGE, secret] });
      const response = await sendTarget(port, target);
      expect(response.status).toBe(status);
      expect(response.location).toBe(location);
      expect(response.text).not.toContain('secret');
      expect(problems).toEqual([]);
    },
  );

  it("serves a site only below its base URL's path", async () => {
    const { url, port, folder } = await serveSite({
      baseUrl: 'https://example.test/games/v2.1',
    });
    expect(new URL(url).pathname).toBe('/games/v2.1');
    for (const [target, status, location] of [
      ['/', 302, '/games/v2.1/'],
      ['/games/v2.1?x=1', 301, '/games/v2.1/?x=1'],
      ['/games/v2.1/', 200],
      ['/games/v2.1/api/gamedata/move', 301, '/games/v2.1/api/gamedata/move/'],
      ['/games/v2.1/api/gamedata/move/?limit=7', 200],
      ['/meta.json', 404],
    ] as const) {
      const response = await sendTarget(port, target);
      expect({ target, ...response }).toMatchObject({ target, status, location });
      expect(response.text).toContain('Access-Control-Allow-Origin: *');
    }
    async function readStatus(target: string) {
      const { status } = await sendTarget(port, target);
      return status;
    }
    await publishSite(folder, { baseUrl: 'https://example.test/else' });
    await expect
      .poll(() => readStatus('/else/meta.json'), waitUntil('the new site is served'))
      .toBe(200);
    expect(await readStatus('/games/v2.1/meta.json')).toBe(404);
  });
});

describe('Last-Modified', () => {
  /** Requests a path from a new server, and then once more with other headers. */
  async function sendTwice(
    path: string,
    createHeaders: (time: string, etag: string) => Record<string, string>,
    method = 'GET',
  ) {
    const { url, folder } = await serveSite();
    const first = await fetch(url + path);
    const lastModified = first.headers.get('last-modified') ?? '';
    const etag = first.headers.get('etag') ?? '';
    const headers = createHeaders(lastModified, etag);
    const second = await fetch(url + path, { method, headers });
    return { folder, first, lastModified, second, text: await second.text() };
  }

  const later = (time: string): string =>
    new Date(Date.parse(time) + 60_000).toUTCString();
  const earlier = (time: string): string =>
    new Date(Date.parse(time) - 1000).toUTCString();

  it.each(['/meta.json', `${LIST}move-1/`, `${LIST}?limit=2&offset=1`])(
    'sends the time of the last build as Last-Modified: %s',
    async (path) => {
      const { folder, lastModified } = await sendTwice(path, () => ({}));
      const { mtime } = fsExtra.statSync(`${folder}/manifest.json`);
      expect(lastModified).toBe(mtime.toUTCString());
    },
  );

  it.each<[string, (time: string, etag: string) => Record<string, string>, number]>([
    ['the same time', (time) => ({ 'If-Modified-Since': time }), 304],
    ['a later time', (time) => ({ 'If-Modified-Since': later(time) }), 304],
    ['an earlier time', (time) => ({ 'If-Modified-Since': earlier(time) }), 200],
    ['no valid time', () => ({ 'If-Modified-Since': 'yesterday' }), 200],
    [
      'the same time and another ETag',
      (time) => ({ 'If-Modified-Since': time, 'If-None-Match': '"other"' }),
      200,
    ],
  ])(
    'compares If-Modified-Since with the time of the last build: %s',
    async (_, create, status) => {
      const { second, lastModified, text } = await sendTwice('/meta.json', create);
      expect(second.status).toBe(status);
      expect(second.headers.get('last-modified')).toBe(lastModified);
      const isUnchanged = status === 304;
      expect(text === '').toBe(isUnchanged);
      expect(second.headers.has('content-type')).toBe(!isUnchanged);
    },
  );

  it.each([
    ['a missing file', '/none.json', 'GET', 404],
    ['a method that is not allowed', '/meta.json', 'POST', 405],
  ])(
    'does not send Last-Modified with an error: %s',
    async (_, path, method, status) => {
      const createHeaders = () => ({
        'If-Modified-Since': new Date().toUTCString(),
      });
      const { second } = await sendTwice(path, createHeaders, method);
      expect(second.status).toBe(status);
      expect(second.headers.has('last-modified')).toBe(false);
    },
  );
});
