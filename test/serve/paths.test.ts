import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { getRaw, PAGE, serveFolder, serveSite, statusOf } from '../support/serving.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const locationOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1];

describe('paths', () => {
  const list = '/api/gamedata/move/';
  const statuses: Readonly<Record<number, readonly string[]>> = {
    200: [
      ...[list, `/${list}`, `${list}?a?b`, '/style.css', '/', `http://example.test:99${list}?limit=2`],
      ...['http://example.test', 'HTTP://user@example.test', 'http://example.test?x'],
    ],
    301: ['/api/gamedata/move', '/api/gamedata/move?limit=5#x', `${list}\\`, `${list}#`],
    302: ['/sprites/items/no-such.png'],
    400: ['/api/gamedata/move/\xff/'],
    404: [
      ...['/api/gamedata/item/../move/', '/api/gamedata/item/%2e%2e/move/', '/api/gamedata/item/..%2fmove/'],
      ...['/api/gamedata/./move/', '/api/gamedata\\move/', '/../style.css', '/%2e%2e/secret.txt'],
      ...['/sprites/items/../../../secret.txt', '/sprites/items/%2e%2e%5csecret.txt', '/style.css%00.html'],
      ...['/style.css/', '/sprites/', '/.hidden.txt', '/.git/config.txt', '/_headers', '/_worker.js'],
      ...['/_hosts/nginx.conf', '/wrangler.jsonc', '//_hosts/nginx.conf', '*'],
    ],
  };

  it('lead to what is public, and to nothing outside of the folder', async () => {
    const hidden = ['_headers', '_worker.js', '_hosts/nginx.conf', 'wrangler.jsonc', '.hidden.txt'];
    const extras = ['style.css', ...hidden].map((file) => ({ path: file, body: 'secret' }));
    const { folder, port, problems } = await serveSite({ extras: [PAGE, ...extras] });
    writeFileSync(path.join(folder, '..', 'secret.txt'), 'secret');
    mkdirSync(path.join(folder, '.git'));
    writeFileSync(path.join(folder, '.git/config.txt'), 'secret');
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

  it('that symbolic links lead out of the folder are not followed, those inside are', async () => {
    const site = await serveSite({ extras: [PAGE, { path: 'style.css', body: 'inside' }] });
    const outside = path.join(site.folder, '..', 'outside');
    mkdirSync(path.join(outside, 'stolen'), { recursive: true });
    writeFileSync(path.join(outside, 'secret.txt'), 'secret');
    writeFileSync(path.join(outside, 'stolen/index.json'), '"secret"');
    for (const [name, target] of [
      ['link.txt', path.join(outside, 'secret.txt')],
      ['folder', outside],
      ['api/gamedata/move/stolen', path.join(outside, 'stolen')],
      ['loop.txt', 'loop.txt'],
      ['alias.css', 'style.css'],
    ] as const)
      symlinkSync(target, path.join(site.folder, name));
    const targets = ['link.txt', 'folder/secret.txt', 'api/gamedata/move/stolen/', 'loop.txt', 'alias.css'];
    const answers = await Promise.all(targets.map((target) => getRaw(site.port, `/${target}`)));
    expect(answers.map(statusOf)).toEqual([404, 404, 404, 404, 200]);
    expect(answers.join()).not.toContain('secret');
  });
});

describe('a site whose base URL has a path', () => {
  async function served() {
    const out = path.join(temporaryFolder(), 'site');
    const baseUrl = 'https://example.test/games/v2.1';
    await build({ ...(await smallSource()), baseUrl, out, maxShrink: 100 });
    const { url, port } = await serveFolder(out);
    const ask = async (target: string) => {
      const answer = await getRaw(port, target);
      return [statusOf(answer), locationOf(answer)];
    };
    return { out, url, ask };
  }

  it('is below the path, and nothing of it beside', async () => {
    const { url, ask } = await served();
    expect(new URL(url).pathname).toBe('/games/v2.1');
    expect(await ask('/')).toEqual([302, '/games/v2.1/']);
    expect(await ask('/games/v2.1')).toEqual([301, '/games/v2.1/']);
    expect(await ask('/games/v2.1?x=1')).toEqual([301, '/games/v2.1/?x=1']);
    expect(await ask('/games/v2.1/')).toEqual([200, undefined]);
    expect(await ask('//games/v2.1/api/gamedata/move')).toEqual([301, '/games/v2.1/api/gamedata/move/']);
    expect(await ask('/games/v2.1/api/gamedata/move/?limit=7')).toEqual([200, undefined]);
    for (const outside of [
      'meta.json',
      'api/gamedata/move/',
      'games/',
      'games/v2x1/',
      'games/v2.1x/meta.json',
    ])
      expect([outside, ...(await ask(`/${outside}`))]).toEqual([outside, 404, undefined]);
  });

  it('is served below another path as soon as a build has put it there', async () => {
    const { out, ask } = await served();
    expect(await ask('/games/v2.1/meta.json')).toEqual([200, undefined]);
    await build({ ...(await smallSource()), baseUrl: 'https://example.test/else', out });
    await expect.poll(() => ask('/else/meta.json'), { timeout: 60_000 }).toEqual([200, undefined]);
    expect(await ask('/games/v2.1/meta.json')).toEqual([404, undefined]);
  });
});
