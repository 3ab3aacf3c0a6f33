import { expect, it } from 'vitest';
import { splitTarget } from '../../src/serve/respond.ts';
import { getRaw, PAGE, publishSite, serveSite, statusOf } from '../support/serving.ts';

const locationOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1];

it.each([
  ['/a/../b/./%2e%2e?c#d', '/a/../b/./%2e%2e', '?c%23d'],
  ['/a?b?c', '/a', '?b?c'],
  ['/a\\b#', '/a%5Cb%23', ''],
  ['//host/a', '//host/a', ''],
  ['http://user@example.test:99/a?b', '/a', '?b'],
  ['HTTP://example.test', '/', ''],
  ['http://example.test?b', '/', '?b'],
  ['*', '*', ''],
])('splits the request target %s', (target, path, search) => {
  expect(splitTarget(target)).toEqual({ path, search });
});

it('serves nothing but the site, whatever the request target', async () => {
  const extras = ['_headers', '.hidden.txt'].map((file) => ({ path: file, body: 'secret' }));
  const { port, problems } = await serveSite({ extras: [PAGE, ...extras] });
  for (const target of ['/../index.html', '/%2e%2e/%2e%2e/etc/passwd', '/_headers', '/.hidden.txt', '*']) {
    const answer = await getRaw(port, target);
    expect([target, statusOf(answer)]).toEqual([target, 404]);
    expect(answer.endsWith('\r\n\r\n{"detail":"Not found."}')).toBe(true);
  }
  expect(statusOf(await getRaw(port, '/api/gamedata/move/\xff/'))).toBe(400);
  expect(statusOf(await getRaw(port, 'http://example.test/api/gamedata/move/?limit=2'))).toBe(200);
  expect(locationOf(await getRaw(port, '/api/gamedata/move?limit=5#x'))).toBe(
    '/api/gamedata/move/?limit=5%23x',
  );
  expect(problems).toEqual([]);
});

it('serves a site below the path of its base URL, and nothing else', async () => {
  const { url, port, folder } = await serveSite({ baseUrl: 'https://example.test/games/v2.1' });
  expect(new URL(url).pathname).toBe('/games/v2.1');
  for (const [target, ...expected] of [
    ['/', 302, '/games/v2.1/'],
    ['/games/v2.1', 301, '/games/v2.1/'],
    ['/games/v2.1?x=1', 301, '/games/v2.1/?x=1'],
    ['/games/v2.1/', 200, undefined],
    ['/games/v2.1/api/gamedata/move', 301, '/games/v2.1/api/gamedata/move/'],
    ['/games/v2.1/api/gamedata/move/?limit=7', 200, undefined],
    ['/meta.json', 404, undefined],
    ['/api/gamedata/move/', 404, undefined],
    ['/games/v2x1/', 404, undefined],
    ['/games/v2.1x/meta.json', 404, undefined],
  ] as const) {
    const answer = await getRaw(port, target);
    expect([target, statusOf(answer), locationOf(answer)]).toEqual([target, ...expected]);
    expect(answer).toContain('Access-Control-Allow-Origin: *');
  }
  await publishSite(folder, { baseUrl: 'https://example.test/else' });
  const statusAt = async (target: string) => statusOf(await getRaw(port, target));
  await expect.poll(() => statusAt('/else/meta.json'), { timeout: 60_000 }).toBe(200);
  expect(await statusAt('/games/v2.1/meta.json')).toBe(404);
});
