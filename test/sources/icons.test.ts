import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type BuildOptions, build, resolveBuild } from '../../src/cli/commands/build.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { chooseFetching } from '../../src/cli/make-site.ts';
import { formatSummary } from '../../src/cli/report.ts';
import { DEFAULT_ICONS_UPSTREAM } from '../../src/contract/responses.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { deploy } from '../support/deployed.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { deserted, type Responder, startServer } from '../support/local-server.ts';
import { rawItem, rawMove, rawRecords, type SomeRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const PLACEHOLDER = readFileSync(new URL('../../public/sprites/items/unknown.png', import.meta.url));

/** The signature of a PNG and some text. */
const icon = (name: string): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(name)]);

/** Items 1 to 4 have own icons, 5 and 6 share an icon, and 7 has no icon. */
const raw = {
  // Different sizes, because nginx derives ETags from size and mtime.
  move: [1, 2, 3].map((id) => rawMove(id, { englishName: 'x'.repeat(id) })),
  item: [
    ...rawRecords(0, 4).item,
    rawItem(5, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(6, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(7, { sprite: null }),
  ],
};
const OWN = ['item-1.png', 'item-2.png', 'item-3.png', 'item-4.png', 'shared/both.png'];

/** Starts a host of icons and returns builds that read it. */
async function ground(options: Partial<BuildOptions> = {}, records: SomeRecords = raw) {
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const name = (request.url ?? '').replace('/icons/', '');
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const etag = `"${name}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag }).end(icon(name));
  });
  const folder = temporaryFolder();
  const source = await smallSource(records);
  const run = (more: Partial<BuildOptions> = {}) =>
    build({
      ...source,
      baseUrl: 'https://example.test',
      out: path.join(folder, 'site'),
      cache: path.join(folder, 'cache'),
      sprites: 'mirror',
      spritesUpstream: `${server.url}/icons/`,
      retries: 0,
      ...options,
      ...more,
    });
  const read = (name: string) => readFileSync(path.join(folder, 'site/sprites/items', name));
  return { folder, site: path.join(folder, 'site'), server, faults, run, read };
}

describe('build --sprites mirror', () => {
  it('fetches each distinct icon once and includes it in the site', async () => {
    const { site, server, run, read } = await ground();
    const report = await run();
    expect(server.requests.map((request) => request.path).sort()).toEqual(
      OWN.map((name) => `/icons/${name}`),
    );
    for (const name of OWN) expect(read(name)).toEqual(icon(name));
    expect(read('unknown.png')).toEqual(PLACEHOLDER);
    const sprites = { mode: 'mirror', icons: 5, missing: 0, requests: { bodies: 5 } };
    expect(report.sprites).toMatchObject(sprites);
    expect(verifyFolder(site).problems).toEqual([]);
  });

  it('fetches no body and changes nothing in the second run', async () => {
    const { site, run } = await ground();
    await run();
    const before = fingerprint(site);
    const sprites = { requests: { bodies: 0, notModified: 5, cacheHits: 5 } };
    expect(await run()).toMatchObject({ changed: false, sprites });
    expect(fingerprint(site)).toEqual(before);
  });

  it('uses cached icons if the upstream is unreachable, and reports the fallback', async () => {
    const { server, faults, run } = await ground();
    faults.set('item-3.png', (response) => response.writeHead(404).end());
    await run();
    await server.close();
    const report = await run();
    const sprites = { missing: 1, requests: { requests: 1, bodies: 0 } };
    expect(report).toMatchObject({ changed: false, sprites });
    expect(report.sprites.offline).toMatch(/ECONNREFUSED/);
  });

  it.each(['item-1.png', 'item-2.png'])(
    'does not use cached icons if the upstream returns an error: %s',
    async (name) => {
      const { faults, run } = await ground();
      await run();
      faults.set(name, (response) => response.writeHead(500).end());
      await expect(run()).rejects.toThrow(`${name}: got 500, expected 200`);
    },
  );

  it.each(['GIF89a', '\xff\xd8\xff', 'RIFF\x10\0\n\0WEBP'])(
    'accepts an image that starts with %j',
    async (start) => {
      const { faults, run, read } = await ground();
      const image = Buffer.from(start, 'latin1');
      faults.set('item-1.png', (response) => response.end(image));
      await run();
      expect(read('item-1.png')).toEqual(image);
    },
  );

  it('fails if the upstream is unreachable and nothing is cached', async () => {
    const { run } = await ground({ spritesUpstream: await deserted() });
    await expect(run()).rejects.toThrow('ECONNREFUSED');
  });

  it('uses the placeholder for a missing icon, and warns about each item', async () => {
    const { site, faults, run, read } = await ground();
    for (const name of ['shared/both.png', 'item-3.png'])
      faults.set(name, (response) => response.writeHead(404).end('404: Not Found'));
    const report = await run();
    expect(read('shared/both.png')).toEqual(PLACEHOLDER);
    expect(report.sprites).toMatchObject({ icons: 5, missing: 2 });
    const examples = [
      ['item-3 (3)', 'item-3'],
      ['item-5 (5)', 'shared/both'],
      ['item-6 (6)', 'shared/both'],
    ].map(
      ([name, file]) =>
        `${name}: the upstream does not have sprites/items/${file}.png, using the placeholder`,
    );
    const warning = { kind: 'item', code: 'icon-not-found', count: 3, examples };
    expect(report.warnings.filter(({ code }) => code === 'icon-not-found')).toEqual([warning]);
    const meta = JSON.parse(readFileSync(path.join(site, 'meta.json'), 'utf8'));
    expect(meta.warnings.item).toEqual({ 'no-icon': 1, 'icon-not-found': 3 });
    expect(verifyFolder(site).problems).toEqual([]);
    faults.clear();
    expect((await run()).sprites.missing).toBe(0);
    expect(read('shared/both.png')).toEqual(icon('shared/both.png'));
  });

  it.each<[string, Responder, RegExp]>([
    ['a page', (response) => response.end('<!doctype html>'), /item-2\.png: got 15 bytes, expected a PNG/],
    ['a picture with something before it', (response) => response.end('  RIFF1234WEBP'), /got 14 bytes/],
    ['an empty body', (response) => response.end(), /got 0 bytes, expected a PNG/],
    ['a failure', (response) => response.writeHead(500).end(), /got 500, expected 200/],
    [
      'too much',
      (response) => response.end(Buffer.concat([icon('x'), Buffer.alloc(300_000)])),
      /more than 262144 bytes/,
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: '/x.png' }).end(),
      /a redirect to "\/x\.png"/,
    ],
  ])('fails for %s and leaves the site unchanged', async (_, fault, message) => {
    const { site, faults, run } = await ground();
    await run({ sprites: 'none' });
    const before = fingerprint(site);
    faults.set('item-2.png', fault);
    await expect(run()).rejects.toThrow(message);
    expect(fingerprint(site)).toEqual(before);
  });
});

it('build --sprites mirror rejects ten new missing icons', async () => {
  const { run, faults } = await ground({}, rawRecords(1, 20));
  const breakIcons = (ids: number) => {
    for (let id = 1; id <= ids; id++)
      faults.set(`item-${id}.png`, (response) => response.writeHead(404).end());
  };
  breakIcons(3);
  await run();
  breakIcons(12);
  expect((await run()).sprites.missing).toBe(12);
  faults.clear();
  await run();
  breakIcons(20);
  await expect(run()).rejects.toThrow('item: got 20 of 20 records with a new icon-not-found');
});

describe('a mirrored site', () => {
  it("contains its source's icons without sending requests, and rejects other files", async () => {
    const { folder, site, server, faults, run, read } = await ground();
    faults.set('item-3.png', (response) => response.writeHead(404).end());
    await run();
    await server.close();
    const out = path.join(folder, 'copy');
    const options = { from: site, baseUrl: 'https://other.test', sprites: 'mirror', out } as const;
    expect((await mirror(options)).warnings).toMatchObject([
      { code: 'no-icon', count: 1 },
      { code: 'icon-not-found', count: 1 },
    ]);
    for (const name of OWN)
      expect(readFileSync(path.join(folder, 'copy/sprites/items', name))).toEqual(read(name));
    expect(verifyFolder(out).problems).toEqual([]);
    writeFileSync(path.join(site, 'sprites/items/item-1.png'), '<svg/>');
    listAsTheyAre(site);
    await expect(mirror(options)).rejects.toThrow(
      'sprites/items/item-1.png: expected a PNG, GIF, JPEG or WebP image',
    );
  });
});

describe('file links with default icons', () => {
  const file = { links: 'file', sprites: undefined, spritesUpstream: undefined } as const;
  const icons = { mode: 'mirror', icons: 5 };
  /** Makes the default host of icons unreachable. */
  async function disconnect(): Promise<void> {
    vi.stubEnv('HTTPS_PROXY', await deserted());
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  it('keep published icons without requests when building from a snapshot', async () => {
    const { run, read } = await ground();
    expect((await run(file)).sprites).toMatchObject({ ...icons, placeholders: 5, requests: null });
    await run();
    const kept = await run(file);
    expect(kept.sprites).toMatchObject({ ...icons, published: 5, placeholders: 0, requests: null });
    for (const name of OWN) expect(read(name)).toEqual(icon(name));
    expect(formatSummary({ ...kept, changed: true })).toContain(
      'icons: 5 icons · 5 as published · 0 replaced by the placeholder',
    );
    expect(await run(file)).toMatchObject({ changed: false, notices: [], sprites: { published: 5 } });
  });

  it.each(['rest', 'auto'] as const)(
    'keep published icons and print one notice if the icon host is unreachable: %s',
    async (source) => {
      await disconnect();
      const { run } = await ground({ maxShrink: 100 });
      await run();
      const upstream = await serveUpstream(upstreamOf(tinyUpstream(3, 4)));
      const report = await run({ ...file, source, upstream: upstream.url });
      expect(report.sprites).toMatchObject({
        ...icons,
        icons: 4,
        published: 4,
        upstream: DEFAULT_ICONS_UPSTREAM,
      });
      expect(report.notices).toEqual([
        expect.stringMatching(/^using cached or published icons: GET https:.*ECONNREFUSED/),
      ]);
    },
  );

  it('keep published icons when auto falls back to the bundled data', async () => {
    const { run } = await ground({ upstream: undefined });
    const { icons } = (await run()).sprites;
    const report = await run({ ...file, source: 'auto', upstream: await deserted() });
    const sprites = { published: icons, placeholders: 0, requests: null };
    expect(report).toMatchObject({ source: 'snapshot', fallback: expect.anything(), sprites });
  });

  it('fail if the host set with --sprites-upstream is unreachable', async () => {
    const { run } = await ground();
    await expect(run({ ...file, spritesUpstream: await deserted() })).rejects.toThrow('ECONNREFUSED');
  });

  it("copy a deployment's icons, and request only missing icons", async () => {
    await disconnect();
    const { folder, site, run } = await ground();
    await run();
    const server = await deploy(site);
    const out = path.join(folder, 'copy');
    const options = { from: server.url, out, links: 'file', retries: 0 } as const;
    const requested = () =>
      server
        .paths()
        .splice(0)
        .filter((name) => name.startsWith('sprites/'));
    expect((await mirror(options)).sprites).toMatchObject({ ...icons, copied: 5, placeholders: 0 });
    expect(requested()).toHaveLength(6);
    const before = server.requests.length;
    expect(await mirror(options)).toMatchObject({ changed: false, sprites: { copied: 5 } });
    expect(server.paths().slice(before)).toEqual(['manifest.json', 'meta.json']);
    rmSync(path.join(out, 'sprites/items/item-2.png'));
    writeFileSync(path.join(out, 'sprites/items/item-3.png'), 'other');
    const again = server.requests.length;
    await mirror(options);
    expect(server.paths().slice(again).sort()).toEqual([
      ...['manifest.json', 'meta.json', 'sprites/items/item-2.png', 'sprites/items/item-3.png'],
    ]);
  });

  it('request missing icons from the default host, never from the host that a deployment names', async () => {
    await disconnect();
    const { folder, site, run } = await ground({ sprites: 'link', spritesUpstream: 'https://evil.test' });
    await run();
    const { url } = await deploy(site);
    const out = path.join(folder, 'copy');
    const { sprites, notices } = await mirror({ from: url, out, links: 'file', retries: 0 });
    expect(sprites).toMatchObject({ ...icons, placeholders: 5, upstream: DEFAULT_ICONS_UPSTREAM });
    expect(notices).toEqual([expect.stringContaining(`GET ${DEFAULT_ICONS_UPSTREAM}/`)]);
  });
});

describe('build --sprites none', () => {
  it('uses the placeholder for every icon and sends no requests', async () => {
    const { site, server, run, read } = await ground({ sprites: 'none' });
    const report = await run();
    for (const name of [...OWN, 'unknown.png']) expect(read(name)).toEqual(PLACEHOLDER);
    expect(server.requests).toEqual([]);
    expect(report).toMatchObject({ sprites: { mode: 'none', upstream: null, icons: 5, requests: null } });
    expect(verifyFolder(site).problems).toEqual([]);
  });
});

describe('icon redirects', () => {
  it('use --sprites-upstream in every configuration unless the site contains its icons', async () => {
    const hosts = ['netlify', 'nginx', 'caddy', 'apache'] as const;
    const { site, run } = await ground({ hosts });
    const files = ['_redirects', '_hosts/nginx.conf', '_hosts/Caddyfile', '.htaccess'];
    const configurations = () => files.map((file) => readFileSync(path.join(site, file), 'utf8'));
    await run({ sprites: 'link', spritesUpstream: 'https://icons.test/of/items' });
    for (const text of configurations()) expect(text).toMatch(/ https:\/\/icons\.test\/of\/items\/\S+/);
    for (const sprites of ['mirror', 'none'] as const) {
      await run({ sprites });
      for (const text of configurations()) expect(text).not.toMatch(/\b302\b/);
    }
  });

  it.each([['a b'], ['x;return 301 y'], ['$host'], ['%1'], ["x'y"]])('reject the address %s', (part) => {
    const options = { sprites: 'link', spritesUpstream: `https://icons.test/${part}` } as const;
    expect(() => resolveBuild(options, {})).toThrow('--sprites-upstream: ');
  });
});

it.each([
  ['rest', undefined, 'ifReachable'],
  ['csv', undefined, 'ifReachable'],
  ['csv', './tables', 'never'],
  ['snapshot', undefined, 'never'],
  ['site', 'https://site.test', 'ifReachable'],
  ['site', 'site.tar.gz', 'never'],
] as const)('chooseFetching, for source %s and upstream %j, returns %s', (source, upstream, expected) => {
  const sprites = { mode: undefined, upstream: DEFAULT_ICONS_UPSTREAM, isUpstreamNamed: false };
  expect(chooseFetching({ sprites }, { source, upstream }, {})).toBe(expected);
  expect(chooseFetching({ sprites }, { source, upstream }, { fallback: 'x' })).toBe('never');
  expect(chooseFetching({ sprites: { ...sprites, mode: 'mirror' } }, { source, upstream }, {})).toBe(
    'always',
  );
});
