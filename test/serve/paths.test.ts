import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitTarget } from '../../src/serve/respond.ts';
import { getRaw, PAGE, serveSite, statusOf } from '../support/serving.ts';

describe('a request target', () => {
  it.each([
    ['/a/b?c=d', '/a/b', '?c=d'],
    ['/a/../b', '/a/../b', ''],
    ['/a\\b#c', '/a%5Cb%23c', ''],
    ['/a?b?c', '/a', '?b?c'],
    ['/?limit=5#x', '/', '?limit=5%23x'],
    ['http://example.test:99/a?b', '/a', '?b'],
    ['HTTP://user@host', '/', ''],
    ['http://host?x', '/', '?x'],
    ['//host/a', '//host/a', ''],
    ['*', '*', ''],
  ])('%j is split into %j and %j', (target, expectedPath, search) => {
    expect(splitTarget(target)).toEqual({ path: expectedPath, search });
  });
});

const list = '/api/gamedata/move/';

describe('paths', () => {
  const statuses: readonly (readonly [target: string, status: number])[] = [
    [list, 200],
    [`/${list}`, 200],
    [`http://example.test${list}?limit=2`, 200],
    ['/style.css', 200],
    ['/', 200],
    ['http://example.test', 200],
    ['/api/gamedata/move', 301],
    ['/sprites/items/no-such.png', 302],
    ['/api/gamedata/item/../move/', 404],
    ['/api/gamedata/item/%2e%2e/move/', 404],
    ['/api/gamedata/item/..%2fmove/', 404],
    ['/api/gamedata/./move/', 404],
    ['/api/gamedata\\move/', 404],
    ['/api/gamedata/move/\\', 301],
    ['/api/gamedata/move/#', 301],
    ['/api/gamedata/move/\xff/', 400],
    ['/../style.css', 404],
    ['/%2e%2e/secret.txt', 404],
    ['/sprites/items/../../../secret.txt', 404],
    ['/sprites/items/%2e%2e%5csecret.txt', 404],
    ['/style.css%00.html', 404],
    ['/style.css/', 404],
    ['/sprites/', 404],
    ['/.hidden.txt', 404],
    ['/.git/config.txt', 404],
    ['/_headers', 404],
    ['/_worker.js', 404],
    ['/_hosts/nginx.conf', 404],
    ['/wrangler.jsonc', 404],
    ['//_hosts/nginx.conf', 404],
  ];

  it('lead to what is public, and to nothing outside of the folder', async () => {
    const hidden = ['_headers', '_worker.js', '_hosts/nginx.conf', 'wrangler.jsonc', '.hidden.txt'];
    const extras = ['style.css', ...hidden].map((file) => ({ path: file, body: 'secret' }));
    const { folder, port, problems } = await serveSite({ extras: [PAGE, ...extras] });
    writeFileSync(path.join(folder, '..', 'secret.txt'), 'secret');
    mkdirSync(path.join(folder, '.git'));
    writeFileSync(path.join(folder, '.git/config.txt'), 'secret');
    const got: [string, number][] = [];
    for (const [target] of statuses) {
      const answer = await getRaw(port, target);
      const status = statusOf(answer);
      got.push([target, status]);
      if (status === 301) expect(answer).toMatch(/\r\nLocation: [\w%/-]+\/\r\n/);
      if (status === 301 || status === 302) expect(answer).toMatch(/\r\nContent-Length: 0\r\n/);
      if (status !== 404) continue;
      expect(answer).toContain('Access-Control-Allow-Origin: *');
      expect(answer.endsWith('\r\n\r\n{"detail":"Not found."}')).toBe(true);
    }
    expect(got).toEqual(statuses);
    expect(problems).toEqual([]);
  });

  it('that symbolic links lead out of the folder are not followed, those inside are', async () => {
    const site = await serveSite({ extras: [PAGE, { path: 'style.css', body: 'inside' }] });
    const outside = path.join(site.folder, '..', 'outside');
    mkdirSync(path.join(outside, 'stolen'), { recursive: true });
    writeFileSync(path.join(outside, 'secret.txt'), 'secret');
    writeFileSync(path.join(outside, 'stolen/index.json'), '"secret"');
    symlinkSync(path.join(outside, 'secret.txt'), path.join(site.folder, 'link.txt'));
    symlinkSync(outside, path.join(site.folder, 'folder'));
    symlinkSync(path.join(outside, 'stolen'), path.join(site.folder, 'api/gamedata/move/stolen'));
    symlinkSync('style.css', path.join(site.folder, 'alias.css'));
    symlinkSync('loop.txt', path.join(site.folder, 'loop.txt'));
    const statuses = [
      '/link.txt',
      '/folder/secret.txt',
      '/api/gamedata/move/stolen/',
      '/loop.txt',
      '/alias.css',
    ];
    const answers = await Promise.all(statuses.map((target) => getRaw(site.port, target)));
    expect(answers.map(statusOf)).toEqual([404, 404, 404, 404, 200]);
    expect(answers.join()).not.toContain('secret');
  });
});
