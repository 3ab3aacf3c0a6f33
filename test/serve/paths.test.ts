import { describe, expect, it } from 'vitest';
import { getRaw, PAGE, publishSite, serveSite, statusOf } from '../support/serving.ts';

const locationOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1];

describe('a request target', () => {
  const list = '/api/gamedata/move/';
  const statuses: Readonly<Record<number, readonly string[]>> = {
    200: [
      ...[list, `${list}?a?b`, '/style.css', '/', `http://example.test:99${list}?limit=2`],
      ...['http://example.test', 'HTTP://user@example.test', 'http://example.test?x'],
    ],
    301: ['/api/gamedata/move', '/api/gamedata/move?limit=5#x', `${list}\\`, `${list}#`],
    302: ['/sprites/items/no-such.png'],
    400: ['/api/gamedata/move/\xff/'],
    404: [
      `/${list}`,
      ...['/api/gamedata/item/../move/', '/api/gamedata/item/%2e%2e/move/', '/api/gamedata/item/..%2fmove/'],
      ...['/api/gamedata/./move/', '/api/gamedata\\move/', '/../style.css', '/%2e%2e/secret.txt'],
      ...['/sprites/items/../../../secret.txt', '/sprites/items/%2e%2e%5csecret.txt', '/style.css%00.html'],
      ...['/style.css/', '/sprites/', '/.hidden.txt', '/_headers', '/_hosts/nginx.conf', '//_hosts/x', '*'],
    ],
  };

  it('selects what is public, as it was sent', async () => {
    const hidden = ['_headers', '_hosts/nginx.conf', '.hidden.txt'];
    const extras = ['style.css', ...hidden].map((file) => ({ path: file, body: 'secret' }));
    const { port, problems } = await serveSite({ extras: [PAGE, ...extras] });
    for (const [expected, targets] of Object.entries(statuses))
      for (const target of targets) {
        const answer = await getRaw(port, target);
        const status = statusOf(answer);
        expect([target, status]).toEqual([target, Number(expected)]);
        if (status === 301) expect(locationOf(answer)).toMatch(/^[\w%/-]+\/(?:\?limit=5%23x)?$/);
        if (status === 301 || status === 302) expect(answer).toMatch(/\r\nContent-Length: 0\r\n/);
        if (status !== 404) continue;
        expect(answer).toContain('Access-Control-Allow-Origin: *');
        expect(answer.endsWith('\r\n\r\n{"detail":"Not found."}')).toBe(true);
      }
    expect(problems).toEqual([]);
  });
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
