import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PreviousSite } from '../../src/built/previous-site.ts';
import type { BuiltSite } from '../../src/built/site.ts';
import { memoryStorage } from '../../src/built/storage.ts';
import { entriesByPath } from '../../src/built/verified-files.ts';
import { build, resolveBuild } from '../../src/cli/commands/build.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { formatSummary } from '../../src/cli/summary.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import type { IconSource } from '../../src/contract/responses.ts';
import { chooseFetching } from '../../src/pipeline/make-site.ts';
import { createEntry } from '../../src/site/manifest.ts';
import { gatherIcons, type IconOrigins } from '../../src/sources/icons.ts';
import { deploy } from '../support/deployed.ts';
import { deserted, type Responder, startServer, status } from '../support/local-server.ts';
import { dataSetOf, rawItem, rawRecords, type SomeRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Returns the signature of a PNG and some text. */
const icon = (name: string): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(name)]);
const PLACEHOLDER = icon('placeholder');

/** Items 1 to 4 have their own icons, 5 and 6 share an icon, and 7 has no icon. */
const item = [
  ...rawRecords(0, 4).item,
  rawItem(5, { sprite: 'sprites/items/shared/both.png' }),
  rawItem(6, { sprite: 'sprites/items/shared/both.png' }),
  rawItem(7, { sprite: null }),
];
const OWN = ['item-1.png', 'item-2.png', 'item-3.png', 'item-4.png', 'shared/both.png'];

async function startHost() {
  /** The icon's name → another response. */
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const name = (request.url ?? '').replace('/icons/', '');
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const etag = `"${name}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag }).end(icon(name));
  });
  const requested = () =>
    server.requests.splice(0).map((request) => request.path.replace('/icons/', ''));
  return { faults, upstream: `${server.url}/icons`, requested, close: server.close };
}

/** Creates a site in memory with some icons, of which some differ from the manifest. */
function siteWith(
  icons: Iterable<[string, Buffer]>,
  ...damaged: string[]
): BuiltSite & PreviousSite {
  const bodies = [['unknown.png', PLACEHOLDER] as const, ...icons];
  const files = new Map(bodies.map(([name, body]) => [ICONS_FOLDER + name, body]));
  const listed = bodies.map(([name, body]) =>
    createEntry(ICONS_FOLDER + name, damaged.includes(name) ? icon('other') : body),
  );
  const storage = memoryStorage('copied', '/', files);
  return { storage, entries: entriesByPath({ files: listed }) } as BuiltSite & PreviousSite;
}

/** Starts a host of icons and returns a function that gathers the icons of the items above. */
async function scene() {
  const host = await startHost();
  const fetcher = { cacheFolder: temporaryFolder(), concurrency: 4, retries: 0 };
  const { records } = dataSetOf({ item });
  async function gather({ mode = 'mirror', upstream = host.upstream, ...options }: Options = {}) {
    const { files, ...about } = await gatherIcons({ mode, upstream }, records, {
      ...{ assets: [{ path: PLACEHOLDER_ICON, body: PLACEHOLDER }], site: undefined },
      ...{ fetching: 'always', fetcher, previous: undefined, ...options },
    });
    const icons = new Map(
      files.map(({ path: file, body }) => [file.replace(ICONS_FOLDER, ''), body]),
    );
    return { ...about, icons };
  }
  return { ...host, gather };
}
type Options = Partial<IconOrigins & IconSource>;

const allIcons = new Map(OWN.map((name) => [name, icon(name)]));
const without = (...names: string[]) =>
  new Map([...allIcons, ...names.map((name) => [name, PLACEHOLDER] as const)]);

describe('gatherIcons', () => {
  it('fetches each distinct icon once, and revalidates it in the next run', async () => {
    const { gather, requested, upstream } = await scene();
    const { icons, report, warnings, notices } = await gather();
    expect(icons).toEqual(allIcons);
    expect(report).toMatchObject({
      ...{
        mode: 'mirror',
        upstream,
        icons: 5,
        missing: 0,
        copied: 0,
        published: 0,
        placeholders: 0,
      },
      ...{ offline: null, requests: { bodies: 5 } },
    });
    expect([warnings, notices]).toEqual([[], []]);
    expect(requested().sort()).toEqual(OWN);
    const again = await gather();
    expect(again.icons).toEqual(icons);
    expect(again.report.requests).toMatchObject({ bodies: 0, notModified: 5, cacheHits: 5 });
  });

  it('rejects icons that exceed the memory limit together', async () => {
    const { gather, upstream } = await scene();
    const bytes = Buffer.concat([...allIcons.values()]).length;
    const fetcher = { cacheFolder: undefined, concurrency: 4, retries: 0 };
    await gather({ fetcher: { ...fetcher, maxMemoryBytes: bytes } });
    const maxMemoryBytes = bytes - 1;
    await expect(gather({ fetcher: { ...fetcher, maxMemoryBytes } })).rejects.toThrow(
      `${upstream}: has ${bytes} bytes, expected at most ${maxMemoryBytes} in total`,
    );
  });

  it('uses cached icons if the upstream is unreachable, and reports it', async () => {
    const { gather, faults, close } = await scene();
    faults.set('item-3.png', status(404));
    await gather();
    await close();
    const { icons, report, notices } = await gather();
    expect(icons).toEqual(without('item-3.png'));
    expect(report).toMatchObject({
      missing: 1,
      placeholders: 1,
      requests: { requests: 1, bodies: 0 },
    });
    expect(report.offline).toContain('ECONNREFUSED');
    expect(notices).toEqual([`using cached or published icons: ${report.offline}`]);
  });

  it.each(['item-1.png', 'item-2.png'])(
    'fails for an error response, even if %s is cached',
    async (name) => {
      const { gather, faults } = await scene();
      await gather();
      faults.set(name, status(500));
      await expect(gather()).rejects.toThrow(`${name}: got 500, expected 200`);
    },
  );

  it('accepts GIF, JPEG and WebP images', async () => {
    const { gather, faults } = await scene();
    const starts = ['GIF89a', '\xff\xd8\xff', 'RIFF\x10\0\n\0WEBP'];
    const images = starts.map((start) => Buffer.from(start, 'latin1'));
    for (const [at, image] of images.entries())
      faults.set(`item-${at + 1}.png`, (response) => response.end(image));
    expect([...(await gather()).icons.values()].slice(0, 3)).toEqual(images);
  });

  it.each<[what: string, body: string | Buffer, problem: string]>([
    ['a page', '<!doctype html>', 'item-2.png: got 15 bytes, expected a PNG'],
    ['an image after white space', '  RIFF1234WEBP', 'got 14 bytes, expected a PNG'],
    ['an empty body', '', 'got 0 bytes, expected a PNG'],
    [
      'a large image',
      Buffer.concat([icon('x'), Buffer.alloc(300_000)]),
      'got more than 262144 bytes',
    ],
  ])('fails for %s', async (_, body, problem) => {
    const { gather, faults } = await scene();
    faults.set('item-2.png', (response) => response.end(body));
    await expect(gather()).rejects.toThrow(problem);
  });

  it('uses the placeholder for a missing icon until the upstream has it, and warns about each item', async () => {
    const { gather, faults } = await scene();
    for (const name of ['shared/both.png', 'item-3.png']) faults.set(name, status(404));
    const { icons, report, warnings } = await gather();
    expect(icons).toEqual(without('shared/both.png', 'item-3.png'));
    expect(report).toMatchObject({ icons: 5, missing: 2, placeholders: 2 });
    const warn = (id: number, file: string) => ({
      ...{ code: 'icon-not-found', kind: 'item', id },
      message: `item-${id} (${id}): the upstream does not have sprites/items/${file}, using the placeholder`,
    });
    expect(warnings).toEqual([
      warn(3, 'item-3.png'),
      warn(5, 'shared/both.png'),
      warn(6, 'shared/both.png'),
    ]);
    faults.clear();
    expect((await gather()).icons).toEqual(allIcons);
  });

  const published = siteWith([['item-1.png', icon('x')]]);
  it.each<
    [what: string, options: Options, icons: Map<string, Buffer>, report: object, sent: string[]]
  >([
    [
      'copies icons from a site without requests, including its placeholders',
      { site: siteWith(without('item-3.png')) },
      without('item-3.png'),
      { copied: 5, missing: 1, placeholders: 1, requests: null },
      [],
    ],
    [
      'requests icons that the copied site lacks or replaces with the placeholder',
      {
        site: siteWith([...without('item-3.png').set('item-4.png', icon('x'))].slice(1)),
        fetching: 'ifReachable',
      },
      new Map([...allIcons, ['item-4.png', icon('x')]]),
      { copied: 3, missing: 0, placeholders: 0 },
      ['item-1.png', 'item-3.png'],
    ],
    [
      'keeps published icons without requests if fetching is "never"',
      {
        previous: siteWith(without('item-3.png').set('item-4.png', icon('x')), 'item-2.png'),
        fetching: 'never',
      },
      new Map([...without('item-2.png', 'item-3.png'), ['item-4.png', icon('x')]]),
      { published: 3, missing: 0, placeholders: 2, requests: null },
      [],
    ],
    [
      'uses the placeholder for every icon without requests in mode "none"',
      { mode: 'none', upstream: null, previous: published },
      without(...OWN),
      { mode: 'none', upstream: null, icons: 5, missing: 0, placeholders: 5, requests: null },
      [],
    ],
    [
      'returns no icons in mode "link"',
      { mode: 'link' },
      new Map(),
      { icons: 0, requests: null },
      [],
    ],
  ])('%s', async (_, options, icons, report, sent) => {
    const { gather, requested } = await scene();
    expect(await gather(options)).toMatchObject({ icons, report, notices: [] });
    expect(requested().sort()).toEqual(sent);
  });

  it('rejects a file of the copied site that is not an image', async () => {
    const { gather } = await scene();
    const reading = gather({ site: siteWith([['item-1.png', Buffer.from('<svg/>')]]) });
    const problem = 'copied/sprites/items/item-1.png: expected a PNG, GIF, JPEG or WebP image';
    await expect(reading).rejects.toThrow(problem);
  });

  it('keeps published icons, or fails, if an upstream without cached icons is unreachable', async () => {
    const { gather } = await scene();
    const upstream = await deserted();
    await expect(gather({ upstream })).rejects.toThrow('ECONNREFUSED');
    const { icons, report, notices } = await gather({
      upstream,
      fetching: 'ifReachable',
      previous: published,
    });
    expect(icons).toEqual(new Map([...without(...OWN), ['item-1.png', icon('x')]]));
    expect(report).toMatchObject({ published: 1, placeholders: 4, missing: 0 });
    expect(notices).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it('returns no icons that the assets contain', async () => {
    const { gather } = await scene();
    const assets = ['unknown.png', 'ITEM-1.png'].map((name) => ({
      path: ICONS_FOLDER + name,
      body: '',
    }));
    expect([...(await gather({ assets })).icons.keys()]).toEqual(OWN.slice(1));
  });
});

/** Builds a site with mirrored icons. */
async function buildMirror(raw: SomeRecords) {
  const { upstream: spritesUpstream, ...host } = await startHost();
  const site = path.join(temporaryFolder(), 'site');
  const source = await smallSource(raw);
  const run = () =>
    build({
      ...{ ...source, baseUrl: 'https://example.test', out: site, cache: false },
      ...{ sprites: 'mirror', spritesUpstream, retries: 0 },
    });
  return { ...host, site, run };
}

it('build rejects ten new missing icons', async () => {
  const { run, faults, site } = await buildMirror(rawRecords(1, 20));
  const breakIcons = (ids: number) => {
    for (let id = 1; id <= ids; id++) faults.set(`item-${id}.png`, status(404));
  };
  breakIcons(9);
  const report = await run();
  const summary = 'icons: 20 icons · 9 replaced by the placeholder · 11 bodies · 0 from cache';
  expect(formatSummary(report)).toContain(summary);
  const meta = JSON.parse(readFileSync(path.join(site, 'meta.json'), 'utf8'));
  expect(meta.warnings.item).toEqual({ 'icon-not-found': 9 });
  breakIcons(19);
  await expect(run()).rejects.toThrow('item: got 10 of 20 records with a new icon-not-found');
});

it("mirror copies a deployment's icons, and requests only icons that the copy lacks", async () => {
  const { run, site } = await buildMirror({ item });
  await run();
  const { url: from, paths, requests } = await deploy(site);
  const out = path.join(temporaryFolder(), 'copy');
  const copy = () => mirror({ from, out, links: 'file', retries: 0 });
  const first = await copy();
  expect(first.icons).toMatchObject({ mode: 'mirror', icons: 5, copied: 5, placeholders: 0 });
  const summary = 'icons: 5 icons · 5 from the source · 0 replaced by the placeholder';
  expect(formatSummary(first)).toContain(summary);
  expect(paths().filter((name) => name.startsWith('sprites/'))).toHaveLength(6);
  rmSync(path.join(out, 'sprites/items/item-2.png'));
  writeFileSync(path.join(out, 'sprites/items/item-3.png'), 'other');
  requests.length = 0;
  await copy();
  const missing = ['sprites/items/item-2.png', 'sprites/items/item-3.png'];
  expect(paths().sort()).toEqual(['manifest.json', 'meta.json', ...missing]);
});

it('build redirects icons to --sprites-upstream in every configuration unless the site contains them', async () => {
  const options = {
    ...(await smallSource({ item })),
    hosts: ['netlify', 'nginx', 'caddy', 'apache'],
    baseUrl: 'https://example.test',
    out: path.join(temporaryFolder(), 'site'),
  } as const;
  const files = ['_redirects', '_hosts/nginx.conf', '_hosts/Caddyfile', '.htaccess'];
  const read = () => files.map((file) => readFileSync(path.join(options.out, file), 'utf8'));
  await build({ ...options, sprites: 'link', spritesUpstream: 'https://icons.test/of/items' });
  for (const text of read()) expect(text).toMatch(/ https:\/\/icons\.test\/of\/items\/\S+/);
  await build({ ...options, sprites: 'none' });
  for (const text of read()) expect(text).not.toMatch(/\b302\b/);
});

it.each(['a b', 'x;return 301 y', '$host', '%1', "x'y"])(
  'build rejects --sprites-upstream with %s',
  (part) => {
    const options = { sprites: 'link', spritesUpstream: `https://icons.test/${part}` } as const;
    expect(() => resolveBuild(options, {})).toThrow('--sprites-upstream: ');
  },
);

it.each([
  ['rest', undefined, 'ifReachable'],
  ['csv', undefined, 'ifReachable'],
  ['csv', './tables', 'never'],
  ['snapshot', undefined, 'never'],
  ['site', 'https://site.test', 'ifReachable'],
  ['site', 'site.tar.gz', 'never'],
] as const)(
  'chooseFetching, for source %s and upstream %j, returns %s',
  (source, upstream, expected) => {
    const sprites = { mode: undefined, upstream: undefined };
    expect(chooseFetching({ sprites }, { source, upstream }, {})).toBe(expected);
    expect(chooseFetching({ sprites }, { source, upstream }, { fallback: 'x' })).toBe('never');
    for (const named of [{ mode: 'mirror' }, { upstream: 'x' }] as const)
      expect(chooseFetching({ sprites: { ...sprites, ...named } }, { source, upstream }, {})).toBe(
        'always',
      );
  },
);
