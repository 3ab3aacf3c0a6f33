import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../src/build.ts';
import type { BuildOptions } from '../src/options.ts';
import { verifyFolder } from '../src/verify/folder.ts';
import { verify } from '../src/verify.ts';
import { nginx } from './support/engines/nginx.ts';
import { serve } from './support/engines/serve.ts';
import { pythonHttpServer } from './support/engines/static.ts';
import { fingerprint } from './support/fingerprint.ts';
import { type Answerer, deserted, startServer } from './support/local-server.ts';
import { rawItem, rawMove, rawRecords } from './support/sites.ts';
import { smallSource } from './support/small-data.ts';
import { temporaryFolder } from './support/temporary.ts';

const PLACEHOLDER = readFileSync(new URL('../public/sprites/items/unknown.png', import.meta.url));
/** A picture as far as anybody looks: a signature, and something of its own. */
const picture = (name: string): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(name)]);

/** Seven items: 1 to 4 with pictures of their own, 5 and 6 with the same one, 7 with none. */
const raw = {
  // Of different lengths: nginx makes validators of size and time.
  move: [1, 2, 3].map((id) => rawMove(id, { englishName: 'x'.repeat(id) })),
  item: [
    ...rawRecords(0, 4).item,
    rawItem(5, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(6, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(7, { sprite: null }),
  ],
};
const OWN = ['item-1.png', 'item-2.png', 'item-3.png', 'item-4.png', 'shared/both.png'];

/** An upstream of pictures, and the builds that read it. */
async function ground(options: Partial<BuildOptions> = {}) {
  const faults = new Map<string, Answerer>();
  const server = await startServer((response, request, at) => {
    const name = (request.url ?? '').replace('/pictures/', '');
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const etag = `"${name}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag }).end(picture(name));
  });
  const folder = temporaryFolder();
  const source = await smallSource(raw);
  const run = (more: Partial<BuildOptions> = {}) =>
    build({
      ...source,
      baseUrl: 'https://example.test',
      out: path.join(folder, 'site'),
      cache: path.join(folder, 'cache'),
      sprites: 'mirror',
      spritesUpstream: `${server.url}/pictures/`,
      retries: 0,
      ...options,
      ...more,
    });
  const read = (name: string) => readFileSync(path.join(folder, 'site/sprites/items', name));
  return { folder, site: path.join(folder, 'site'), server, faults, run, read };
}

describe('build --sprites mirror', () => {
  it('fetches each distinct picture once and puts it into the site', async () => {
    const { site, server, run, read } = await ground();
    const report = await run();
    expect(server.requests.map((request) => request.path).sort()).toEqual(
      OWN.map((name) => `/pictures/${name}`),
    );
    for (const name of OWN) expect(read(name)).toEqual(picture(name));
    expect(read('unknown.png')).toEqual(PLACEHOLDER);
    expect(report.sprites).toMatchObject({
      mode: 'mirror',
      pictures: 5,
      missing: 0,
      requests: { bodies: 5 },
    });
    expect(verifyFolder(site).problems).toEqual([]);
  });

  it('fetches no body and touches nothing the second time', async () => {
    const { site, run } = await ground();
    await run();
    const before = fingerprint(site);
    const report = await run();
    expect(report).toMatchObject({
      changed: false,
      sprites: { requests: { bodies: 0, notModified: 5, cacheHits: 5 } },
    });
    expect(fingerprint(site)).toEqual(before);
  });

  it('does with those of the last time where the upstream cannot be reached, and says so', async () => {
    const { server, faults, run } = await ground();
    faults.set('item-3.png', (response) => response.writeHead(404).end());
    await run();
    await server.close();
    const report = await run();
    expect(report).toMatchObject({
      changed: false,
      sprites: { missing: 1, requests: { requests: 1, bodies: 0 } },
    });
    expect(report.sprites.offline).toMatch(/ECONNREFUSED/);
  });

  it('fails where the upstream cannot be reached and there is no last time', async () => {
    const { run } = await ground({ spritesUpstream: await deserted() });
    await expect(run()).rejects.toThrow('ECONNREFUSED');
  });

  it('makes the placeholder of a picture that the upstream does not have, with a warning for each item', async () => {
    const { site, faults, run, read } = await ground();
    faults.set('shared/both.png', (response) => response.writeHead(404).end('404: Not Found'));
    const report = await run();
    expect(read('shared/both.png')).toEqual(PLACEHOLDER);
    expect(report.sprites).toMatchObject({ pictures: 5, missing: 1 });
    expect(report.warnings.filter(({ code }) => code === 'missing-picture')).toEqual([
      {
        kind: 'item',
        code: 'missing-picture',
        count: 2,
        examples: [
          'item-5 (5): the upstream has no sprites/items/shared/both.png, it is the placeholder',
          'item-6 (6): the upstream has no sprites/items/shared/both.png, it is the placeholder',
        ],
      },
    ]);
    const meta = JSON.parse(readFileSync(path.join(site, 'meta.json'), 'utf8'));
    expect(meta.warnings.item).toEqual({ 'missing-sprite': 1, 'missing-picture': 2 });
    expect(verifyFolder(site).problems).toEqual([]);
    faults.clear();
    expect((await run()).sprites.missing).toBe(0);
    expect(read('shared/both.png')).toEqual(picture('shared/both.png'));
  });

  it.each<[string, Answerer, RegExp]>([
    [
      'a page',
      (response) => response.end('<!doctype html>'),
      /item-2\.png: answered 15 bytes that are no PNG/,
    ],
    ['an empty body', (response) => response.end(), /answered 0 bytes that are no PNG/],
    ['a failure', (response) => response.writeHead(500).end(), /answered 500, expected 200/],
    [
      'too much',
      (response) => response.end(Buffer.concat([picture('x'), Buffer.alloc(300_000)])),
      /more than 262144 bytes/,
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/x.png' }).end(),
      /a redirect to "\/x\.png"/,
    ],
  ])('fails, and leaves the site as it was, where a picture is %s', async (_, fault, message) => {
    const { site, faults, run } = await ground();
    await run({ sprites: 'none' });
    const before = fingerprint(site);
    faults.set('item-2.png', fault);
    await expect(run()).rejects.toThrow(message);
    expect(fingerprint(site)).toEqual(before);
  });
});

describe('build --sprites none', () => {
  it('answers every icon with the placeholder, and asks nobody', async () => {
    const { site, server, run, read } = await ground({ sprites: 'none' });
    const report = await run();
    for (const name of [...OWN, 'unknown.png']) expect(read(name)).toEqual(PLACEHOLDER);
    expect(server.requests).toEqual([]);
    expect(report).toMatchObject({ sprites: { mode: 'none', upstream: null, pictures: 5, requests: null } });
    expect(verifyFolder(site).problems).toEqual([]);
  });
});

describe('the redirect', () => {
  it('leads where --sprites-upstream says in every configuration, and is in none where the site holds its pictures', async () => {
    const hosts = ['netlify', 'netlify-edge', 'nginx', 'caddy', 'apache'] as const;
    const { site, run } = await ground({ hosts });
    const files = ['_redirects', '_hosts/nginx.conf', '_hosts/Caddyfile', '.htaccess'];
    const configurations = () => files.map((file) => readFileSync(path.join(site, file), 'utf8'));
    await run({ sprites: 'link', spritesUpstream: 'https://pictures.test/of/items' });
    for (const text of configurations()) expect(text).toMatch(/ https:\/\/pictures\.test\/of\/items\/\S+/);
    for (const sprites of ['mirror', 'none'] as const) {
      await run({ sprites });
      for (const text of configurations()) expect(text).not.toMatch(/\b302\b/);
    }
  });

  it.each([['a b'], ['x;return 301 y'], ['$host'], ['%1'], ["x'y"]])(
    'refuses an address with %s in it',
    async (part) => {
      const { run } = await ground({ sprites: 'link', spritesUpstream: `https://pictures.test/${part}` });
      await expect(run()).rejects.toThrow('--sprites-upstream: ');
    },
  );
});

describe.each([
  { engine: serve, links: 'query', level: 'full' },
  { engine: nginx, links: 'query', level: 'static' },
  { engine: pythonHttpServer, links: 'file', level: 'static' },
] as const)('a site with pictures behind $engine.name', ({ engine, links, level }) => {
  it.skipIf(engine.missing()).each(['mirror', 'none'] as const)(
    'answers every icon with a picture: %s',
    async (sprites) => {
      const { site, run } = await ground({ sprites, links, hosts: ['nginx'] });
      await run();
      const running = await engine.start(site);
      try {
        const report = await verify(running.url, { level, linkBase: 'https://example.test' });
        const failed =
          'clauses' in report ? report.clauses.filter(({ failures }) => failures.length > 0) : report;
        expect(failed).toEqual([]);
        const other = await fetch(`${running.url}/sprites/items/no-such.png`, { redirect: 'manual' });
        expect(other.status).toBe(404);
      } finally {
        await running.stop();
      }
    },
  );
});
