import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type BuildOptions,
  build,
  resolveBuild,
} from '../../src/cli/commands/build.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { formatSummary } from '../../src/cli/summary.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import type { IconSource } from '../../src/contract/responses.ts';
import { type GatherOptions, gatherIcons } from '../../src/upstream/icons.ts';
import type { Progress } from '../../src/upstream/source.ts';
import { deploy } from '../support/deployed.ts';
import {
  deserted,
  type Responder,
  startServer,
  status,
} from '../support/local-server.ts';
import { rawItem, rawRecords, type SomeRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { createStoredData } from '../support/stored-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns a file that consists of the signature of a PNG and a text. */
function icon(name: string): Buffer {
  return Buffer.concat([PNG_SIGNATURE, Buffer.from(name)]);
}

const PLACEHOLDER = icon('placeholder');

/** Items 1 to 4 have their own icons, 5 and 6 share an icon, and 7 has no icon. */
const sevenItems = [
  ...rawRecords(0, 4).item,
  rawItem(5, { sprite: 'sprites/items/shared/both.png' }),
  rawItem(6, { sprite: 'sprites/items/shared/both.png' }),
  rawItem(7, { sprite: null }),
];
const NAMES = [
  'item-1.png',
  'item-2.png',
  'item-3.png',
  'item-4.png',
  'shared/both.png',
];

/** Starts a server that has every icon. */
async function startHost() {
  /** The responders that send something else, by icon name. */
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const url = request.url ?? '';
    const name = url.replace(/^\/icons\/|\?.*/g, '');
    const respond = faults.get(name);
    if (respond) respond(response, request, at);
    else response.end(icon(name));
  });

  /** Returns the names of the icons that were requested since the last call. */
  function takeRequests(): string[] {
    const requests = server.requests.splice(0);
    return requests.map((request) => request.path.replace(/^\/icons\/|\?.*/g, ''));
  }
  const upstream = `${server.url}/icons`;
  return { faults, upstream, takeRequests, close: server.close };
}

type IconBody = readonly [name: string, body: Buffer];

/** Maps the path of each icon to its content. */
function toFiles(icons: Iterable<IconBody>): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [name, body] of icons) files.set(ICONS_FOLDER + name, body);
  return files;
}

/** Reads the icons of a published site from memory. */
function publishedWith(icons: Iterable<IconBody>): GatherOptions['readPublished'] {
  const files = toFiles(icons);
  return (file) => files.get(file);
}

type SceneOptions = Partial<GatherOptions & IconSource>;

/**
 * Starts an icon host. By default, the returned `gather` function gathers the items'
 * icons from this host in mode "mirror". It returns the icons by name instead of a
 * list of files.
 */
async function startScene(items = sevenItems) {
  const host = await startHost();
  const dataSet = createStoredData({ item: items });
  const fetcher = { concurrency: 4, retryBaseMs: 1 };

  async function gather(sceneOptions: SceneOptions = {}) {
    const { mode = 'mirror', upstream = host.upstream, ...others } = sceneOptions;
    const options: GatherOptions = {
      source: { mode, upstream },
      assets: [{ path: PLACEHOLDER_ICON, body: PLACEHOLDER }],
      copied: undefined,
      readPublished: () => undefined,
      fetcher,
      ...others,
    };
    const { files, ...result } = await gatherIcons(dataSet, options);
    const icons = new Map<string, unknown>();
    for (const file of files) {
      icons.set(file.path.replace(ICONS_FOLDER, ''), file.body);
    }
    return { ...result, icons };
  }
  return { ...host, fetcher, gather };
}

const allIcons = new Map<string, Buffer>();
for (const name of NAMES) allIcons.set(name, icon(name));

/** Returns all icons. The named icons are copies of the placeholder. */
function without(...names: string[]): Map<string, Buffer> {
  const icons = new Map(allIcons);
  for (const name of names) icons.set(name, PLACEHOLDER);
  return icons;
}

/** Returns icons whose content differs from the icons on the host. */
function publishedIcons(...names: string[]): IconBody[] {
  return names.map((name) => [name, icon(`published ${name}`)]);
}

describe('gatherIcons', () => {
  it('fetches each icon once, even if several items share it', async () => {
    const { gather, takeRequests, upstream } = await startScene();
    const { icons, report, notices } = await gather();
    expect(icons).toEqual(allIcons);
    expect(report).toMatchObject({
      mode: 'mirror',
      upstream,
      icons: 5,
      copied: 0,
      published: 0,
      placeholders: 0,
      failed: 0,
      problem: null,
      requests: { requests: 5 },
    });
    expect(notices).toEqual([]);
    expect(takeRequests().sort()).toEqual(NAMES);
  });

  it('keeps published icons, and fetches only the missing ones', async () => {
    const { gather, takeRequests } = await startScene();
    const siteIcons = publishedIcons('item-1.png', 'item-2.png');
    const { icons, report } = await gather({
      readPublished: publishedWith(siteIcons),
    });
    expect(icons).toEqual(
      new Map([...allIcons, ...publishedIcons('item-1.png', 'item-2.png')]),
    );
    expect(report).toMatchObject({ published: 2, placeholders: 0 });
    expect(takeRequests().sort()).toEqual(NAMES.slice(2));
  });

  it.each([404, 403, 410])(
    'uses the placeholder after a %i, and requests the icon only once',
    async (code) => {
      const { gather, faults, takeRequests } = await startScene();
      faults.set('item-3.png', status(code));
      const { icons, report, notices } = await gather();
      expect(icons).toEqual(without('item-3.png'));
      expect(report).toMatchObject({ failed: 1, placeholders: 1 });
      expect(notices).toEqual([
        `could not fetch 1 icon, using the placeholder until the next build: ${report.problem}`,
      ]);
      // The icon may really be missing, so it is requested only once.
      expect(takeRequests().sort()).toEqual(NAMES);
    },
  );

  it('rejects a site that has no placeholder image', async () => {
    const { gather } = await startScene();
    await expect(gather({ assets: [] })).rejects.toThrow(
      'public/sprites/items/unknown.png: does not exist, expected the image',
    );
  });

  it('keeps two icons whose names differ only in case', async () => {
    const items = ['A', 'a'].map((name, at) =>
      rawItem(at + 1, { sprite: `sprites/items/${name}.png` }),
    );
    const { gather } = await startScene(items);
    const { icons } = await gather();
    expect([...icons.keys()].sort()).toEqual(['A.png', 'a.png']);
  });

  it('fetches the other 1,985 icons if 15 respond with 403, and later fetches one of the 15', async () => {
    const items = rawRecords(0, 2000).item;
    const { gather, faults } = await startScene([...items]);
    for (let id = 1; id <= 15; id++) faults.set(`item-${id}.png`, status(403));
    const first = await gather();
    expect(first.report).toMatchObject({
      icons: 2000,
      failed: 15,
      placeholders: 15,
    });
    faults.delete('item-7.png');
    const siteIcons = first.icons as Map<string, Buffer>;
    const found = [...siteIcons].filter(([, body]) => body !== PLACEHOLDER);
    const second = await gather({ readPublished: publishedWith(found) });
    expect(second.report).toMatchObject({
      published: 1985,
      failed: 14,
      placeholders: 14,
      requests: { requests: 15 },
    });
    expect(second.icons.get('item-7.png')).toEqual(icon('item-7.png'));
  });

  it.each<[what: string, body: string | Buffer, problem: string]>([
    ['a page', '<!doctype html>', 'got 15 bytes, expected a PNG'],
    [
      'a large image',
      Buffer.concat([icon('x'), Buffer.alloc(300_000)]),
      'got more than 262144 bytes',
    ],
  ])('rejects %s in place of an icon', async (_, body, problem) => {
    const { gather, faults } = await startScene();
    faults.set('item-2.png', (response) => response.end(body));
    const { report, icons } = await gather();
    expect(report.problem).toContain(`item-2.png: ${problem}`);
    expect(icons).toEqual(without('item-2.png'));
  });

  it('accepts icons in the GIF, JPEG and WebP formats', async () => {
    const { gather, faults } = await startScene();
    const starts = ['GIF89a', '\xff\xd8\xff', 'RIFF\x10\0\n\0WEBP'];
    const images = starts.map((start) => Buffer.from(start, 'latin1'));
    for (const [at, image] of images.entries()) {
      faults.set(`item-${at + 1}.png`, (response) => response.end(image));
    }
    const { icons } = await gather();
    expect([...icons.values()].slice(0, 3)).toEqual(images);
  });

  it('stops requesting icons after every attempt has failed for 20 icons in a row', async () => {
    const { gather } = await startScene([...rawRecords(0, 30).item]);
    const { report } = await gather({
      upstream: await deserted(),
      fetcher: { concurrency: 1, retryBaseMs: 1 },
    });
    expect(report).toMatchObject({
      failed: 30,
      placeholders: 30,
      problem: expect.stringContaining('ECONNREFUSED'),
      requests: { requests: 100 },
    });
  });

  it('rejects icons that together exceed the memory limit', async () => {
    const { gather, upstream, fetcher } = await startScene();
    const bytes = Buffer.concat([...allIcons.values()]).length;
    await gather({ fetcher: { ...fetcher, maxMemoryBytes: bytes } });
    const maxMemoryBytes = bytes - 1;
    const gathering = gather({ fetcher: { ...fetcher, maxMemoryBytes } });
    await expect(gathering).rejects.toThrow(
      `${upstream}: has ${bytes} bytes, expected at most ${maxMemoryBytes} in total`,
    );
  });

  it('stops if the build is aborted', async () => {
    const { gather, faults, fetcher } = await startScene();
    const controller = new AbortController();
    const reason = new Error('stopped by a signal');
    faults.set('item-1.png', () => controller.abort(reason));
    const gathering = gather({ fetcher: { ...fetcher, signal: controller.signal } });
    await expect(gathering).rejects.toThrow('stopped by a signal');
  });

  it('uses the placeholder for missing icons if it may not fetch any', async () => {
    const { gather, takeRequests } = await startScene();
    const readPublished = publishedWith(publishedIcons('item-4.png'));
    const { icons, report, notices } = await gather({
      fetcher: undefined,
      readPublished,
    });
    expect(icons).toEqual(
      new Map([...without(...NAMES), ...publishedIcons('item-4.png')]),
    );
    expect(report).toMatchObject({ published: 1, placeholders: 4, requests: null });
    expect(notices).toEqual([]);
    expect(takeRequests()).toEqual([]);
  });

  it('uses the placeholder for every icon if the mode is "none"', async () => {
    const { gather, takeRequests } = await startScene();
    const readPublished = publishedWith(publishedIcons('item-1.png'));
    const { icons, report } = await gather({
      mode: 'none',
      upstream: null,
      readPublished,
    });
    expect(icons).toEqual(without(...NAMES));
    expect(report).toMatchObject({ icons: 5, placeholders: 5, requests: null });
    expect(takeRequests()).toEqual([]);
  });

  it('returns no icon files if the mode is "link"', async () => {
    const { gather, takeRequests } = await startScene();
    const { icons, report } = await gather({ mode: 'link' });
    expect(icons.size).toBe(0);
    expect(report).toMatchObject({ icons: 0, requests: null });
    expect(takeRequests()).toEqual([]);
  });

  it('does not return an icon file that the assets already contain', async () => {
    const { gather } = await startScene();
    const assets = [
      { path: `${ICONS_FOLDER}unknown.png`, body: '' },
      { path: `${ICONS_FOLDER}item-1.png`, body: '' },
    ];
    const { icons } = await gather({ assets });
    expect([...icons.keys()]).toEqual(NAMES.slice(1));
  });
});

describe('gatherIcons for a copied site', () => {
  it('prefers the icons of the copied site, and fetches only the missing ones', async () => {
    const { gather, takeRequests } = await startScene();
    const copiedIcons = new Map(allIcons);
    copiedIcons.delete('item-3.png');
    copiedIcons.set('item-4.png', icon('copied'));
    copiedIcons.delete('item-1.png');
    const { icons, report } = await gather({
      copied: toFiles(copiedIcons),
      readPublished: publishedWith(publishedIcons('item-4.png')),
    });
    expect(icons).toEqual(new Map([...allIcons, ['item-4.png', icon('copied')]]));
    expect(report).toMatchObject({ copied: 3, published: 0, placeholders: 0 });
    expect(takeRequests().sort()).toEqual(['item-1.png', 'item-3.png']);
  });
});

/**
 * Starts an icon host and returns it with a `run` function, which builds a site from
 * the records and mirrors their icons from the host.
 */
async function prepareBuild(raw: SomeRecords) {
  const host = await startHost();
  const site = path.join(temporaryFolder(), 'site');
  const source = await smallSource(raw);
  const options: BuildOptions = {
    ...source,
    baseUrl: 'https://example.test',
    out: site,
    cache: temporaryFolder(),
    sprites: 'mirror',
    spritesUpstream: host.upstream,
  };
  return { ...host, site, run: () => build(options) };
}

it('requests only the icons that are missing, damaged or placeholders in the published site', async () => {
  const { run, faults, site, takeRequests } = await prepareBuild({
    item: sevenItems,
  });
  faults.set('item-1.png', status(404));
  await run();
  takeRequests();
  faults.clear();
  rmSync(path.join(site, 'sprites/items/item-2.png'));
  const damaged = path.join(site, 'sprites/items/item-3.png');
  writeFileSync(damaged, icon('item-0.png'));
  utimesSync(damaged, 0, 0);
  const { icons } = await run();
  expect(icons).toMatchObject({ published: 2, failed: 0 });
  expect(takeRequests().sort()).toEqual(NAMES.slice(0, 3));
});

it('requests only the icons that an earlier copy of the deployment lacks', async () => {
  const { run, site } = await prepareBuild({ item: sevenItems });
  await run();
  const { url: from, paths, requests } = await deploy(site);
  const out = path.join(temporaryFolder(), 'copy');
  const seen: string[] = [];
  const onProgress = ({ done, total }: Progress) => seen.push(`${done} of ${total}`);
  const copy = () => mirror({ from, out, links: 'file', onProgress });
  const listRequestedIcons = () =>
    paths().filter((name) => name.startsWith('sprites/'));
  const first = await copy();
  expect(first.icons).toMatchObject({
    mode: 'mirror',
    icons: 5,
    copied: 5,
    placeholders: 0,
  });
  const summary = 'icons: 5 icons · 0 replaced by the placeholder';
  expect(formatSummary(first)).toContain(summary);
  expect(listRequestedIcons()).toHaveLength(5);
  expect([seen[0], seen.at(-1)]).toEqual(['0 of 5', '5 of 5']);
  rmSync(path.join(out, 'sprites/items/item-2.png'));
  writeFileSync(path.join(out, 'sprites/items/item-3.png'), 'other');
  requests.length = 0;
  await copy();
  expect(listRequestedIcons().sort()).toEqual([
    'sprites/items/item-2.png',
    'sprites/items/item-3.png',
  ]);
});

it("redirects icons to --sprites-upstream in every host's configuration", async () => {
  const options = {
    ...(await smallSource({ item: sevenItems })),
    hosts: ['netlify', 'nginx', 'caddy', 'apache'],
    baseUrl: 'https://example.test',
    out: path.join(temporaryFolder(), 'site'),
  } as const;
  const files = ['_redirects', '_hosts/nginx.conf', '_hosts/Caddyfile', '.htaccess'];
  const readConfiguration = (file: string) =>
    readFileSync(path.join(options.out, file), 'utf8');
  await build({
    ...options,
    sprites: 'link',
    spritesUpstream: 'https://icons.test/of/items',
  });
  for (const file of files) {
    const iconUrl = / https:\/\/icons\.test\/of\/items\/\S+/;
    expect(readConfiguration(file), file).toMatch(iconUrl);
  }
  await build({ ...options, sprites: 'none' });
  for (const file of files) {
    expect(readConfiguration(file), file).not.toMatch(/\b302\b/);
  }
});

it.each(['a b', 'x;return 301 y', '$host'])(
  'rejects the URL of --sprites-upstream if it contains %s',
  (part) => {
    const options = {
      sprites: 'link',
      spritesUpstream: `https://icons.test/${part}`,
    } as const;
    expect(() => resolveBuild(options)).toThrow('--sprites-upstream: ');
  },
);
