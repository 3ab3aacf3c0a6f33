import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../../src/built/storage.ts';
import { entriesByPath } from '../../src/built/verified-files.ts';
import {
  type BuildOptions,
  build,
  resolveBuild,
} from '../../src/cli/commands/build.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { formatSummary } from '../../src/cli/summary.ts';
import { ICONS_FOLDER, PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import type { IconSource } from '../../src/contract/responses.ts';
import { createEntry } from '../../src/site/manifest.ts';
import type { CopiedIconSite, IconSite } from '../../src/sources/icon-origins.ts';
import { type GatherOptions, gatherIcons } from '../../src/sources/icons.ts';
import { deploy } from '../support/deployed.ts';
import { everyKind } from '../support/kinds.ts';
import {
  deserted,
  type Responder,
  startServer,
  status,
} from '../support/local-server.ts';
import {
  dataSetOf,
  rawItem,
  rawRecords,
  type SomeRecords,
} from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
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

/** Responds with the icon, or with 304 if the client sends its ETag. */
const serveIcon: Responder = (response, request) => {
  const name = (request.url ?? '').replace('/icons/', '');
  const etag = `"${name}"`;
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(200, { etag }).end(icon(name));
};

/** Starts a server that has every icon and supports ETags. */
async function startHost() {
  /** The responders that replace `serveIcon`, by icon name. */
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const name = (request.url ?? '').replace('/icons/', '');
    const respond = faults.get(name) ?? serveIcon;
    return respond(response, request, at);
  });

  /** Returns the names of the icons that were requested since the last call. */
  function takeRequests(): string[] {
    const requests = server.requests.splice(0);
    return requests.map((request) => request.path.replace('/icons/', ''));
  }

  return {
    faults,
    upstream: `${server.url}/icons`,
    takeRequests,
    close: server.close,
  };
}

type IconBody = readonly [name: string, body: Buffer];

interface SiteFaults {
  /** The icons whose file does not match the hash in the manifest. */
  readonly damaged?: readonly string[];
  /**
   * The number of items for which the site has a warning that the upstream does not
   * have the icon.
   */
  readonly warnings?: number;
}

/** Creates a site in memory that contains the given icons and the placeholder. */
function siteWith(
  icons: Iterable<IconBody>,
  siteFaults: SiteFaults = {},
): CopiedIconSite {
  const { damaged = [], warnings = 0 } = siteFaults;
  const placeholder: IconBody = ['unknown.png', PLACEHOLDER];
  const files = new Map<string, Buffer>();
  const entries = [];
  for (const [name, body] of [placeholder, ...icons]) {
    const file = ICONS_FOLDER + name;
    files.set(file, body);
    const listedBody = damaged.includes(name) ? icon('other') : body;
    entries.push(createEntry(file, listedBody));
  }
  const itemWarnings = { 'icon-not-found': warnings };
  return {
    storage: memoryStorage('known', '/', files),
    entries: entriesByPath({ files: entries }),
    meta: {
      warnings: everyKind<Record<string, number>>(
        { item: itemWarnings },
        () => ({}),
      ),
    },
  };
}

type SceneOptions = Partial<GatherOptions & IconSource>;

/**
 * Starts an icon host. By default, the returned `gather` function gathers the items'
 * icons from this host in mode "mirror". It returns the icons by name instead of a
 * list of files.
 */
async function startScene(items = sevenItems) {
  const host = await startHost();
  const { records } = dataSetOf({ item: items });
  const fetcher = { cacheFolder: temporaryFolder(), concurrency: 4, retries: 0 };

  async function gather(sceneOptions: SceneOptions = {}) {
    const { mode = 'mirror', upstream = host.upstream, ...others } = sceneOptions;
    const options: GatherOptions = {
      source: { mode, upstream },
      assets: [{ path: PLACEHOLDER_ICON, body: PLACEHOLDER }],
      copiedSite: undefined,
      publishedSite: undefined,
      fetcher,
      isRequired: true,
      ...others,
    };
    const { files, ...result } = await gatherIcons({ records }, options);
    const icons = new Map<string, unknown>();
    for (const file of files) {
      const name = file.path.replace(ICONS_FOLDER, '');
      icons.set(name, file.body);
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

/**
 * Returns icons from a published site. Their content differs from the icons on the
 * host.
 */
function publishedIcons(...names: string[]): IconBody[] {
  const icons: IconBody[] = [];
  for (const name of names) icons.push([name, icon(`published ${name}`)]);
  return icons;
}

/** Lets the host respond with an error to the requests for items 1 to `count`. */
function breakFirstIcons(
  faults: Map<string, Responder>,
  count: number,
  errorStatus: number,
): void {
  for (let id = 1; id <= count; id++) {
    faults.set(`item-${id}.png`, status(errorStatus));
  }
}

describe('gatherIcons', () => {
  it('fetches an icon once even if several items share it', async () => {
    const { gather, takeRequests, upstream } = await startScene();
    const { icons, report, warnings, losses, notices } = await gather();
    expect(icons).toEqual(allIcons);
    expect(report).toMatchObject({
      mode: 'mirror',
      upstream,
      icons: 5,
      missing: 0,
      copied: 0,
      published: 0,
      placeholders: 0,
      failed: 0,
      problem: null,
      requests: { bodies: 5 },
    });
    expect([warnings, losses, notices]).toEqual([[], [], []]);
    expect(takeRequests().sort()).toEqual(NAMES);
  });

  it('revalidates cached icons instead of downloading them again', async () => {
    const { gather } = await startScene();
    await gather();
    const { icons, report } = await gather();
    expect(icons).toEqual(allIcons);
    expect(report.requests).toMatchObject({
      bodies: 0,
      notModified: 5,
      cacheHits: 5,
    });
  });

  it('rejects icons that together exceed the memory limit', async () => {
    const { gather, upstream } = await startScene();
    const bytes = Buffer.concat([...allIcons.values()]).length;
    const fetcher = { cacheFolder: undefined, concurrency: 4, retries: 0 };
    await gather({ fetcher: { ...fetcher, maxMemoryBytes: bytes } });
    const maxMemoryBytes = bytes - 1;
    const gathering = gather({ fetcher: { ...fetcher, maxMemoryBytes } });
    await expect(gathering).rejects.toThrow(
      `${upstream}: has ${bytes} bytes, expected at most ${maxMemoryBytes} in total`,
    );
  });

  it('accepts icons in the GIF, JPEG and WebP formats', async () => {
    const { gather, faults } = await startScene();
    const starts = ['GIF89a', '\xff\xd8\xff', 'RIFF\x10\0\n\0WEBP'];
    const images = starts.map((start) => Buffer.from(start, 'latin1'));
    for (const [at, image] of images.entries()) {
      faults.set(`item-${at + 1}.png`, (response) => response.end(image));
    }
    const { icons } = await gather();
    const firstIcons = [...icons.values()].slice(0, 3);
    expect(firstIcons).toEqual(images);
  });

  it('warns about each item whose icon the upstream does not have', async () => {
    const { gather, faults } = await startScene();
    for (const name of ['shared/both.png', 'item-3.png']) {
      faults.set(name, status(404));
    }
    const { icons, report, warnings } = await gather();
    expect(icons).toEqual(without('shared/both.png', 'item-3.png'));
    expect(report).toMatchObject({
      icons: 5,
      missing: 2,
      placeholders: 2,
      failed: 0,
    });
    function createWarning(id: number, file: string) {
      const message = `item-${id} (${id}): the upstream does not have sprites/items/${file}, using the placeholder`;
      return { code: 'icon-not-found', kind: 'item', id, message };
    }
    expect(warnings).toEqual([
      createWarning(3, 'item-3.png'),
      createWarning(5, 'shared/both.png'),
      createWarning(6, 'shared/both.png'),
    ]);
  });

  it('requests an icon again if it was missing in the last build', async () => {
    const { gather, faults } = await startScene();
    faults.set('item-3.png', status(404));
    await gather();
    faults.clear();
    const { icons } = await gather();
    expect(icons).toEqual(allIcons);
  });

  it('uses the placeholder for every icon in mode "none"', async () => {
    const { gather, takeRequests } = await startScene();
    const publishedSite = siteWith(publishedIcons('item-1.png'));
    const { icons, report, notices } = await gather({
      mode: 'none',
      upstream: null,
      publishedSite,
    });
    expect(icons).toEqual(without(...NAMES));
    expect(report).toMatchObject({
      icons: 5,
      missing: 0,
      placeholders: 5,
      requests: null,
    });
    expect(notices).toEqual([]);
    expect(takeRequests()).toEqual([]);
  });

  it('returns no icon files in mode "link"', async () => {
    const { gather, takeRequests } = await startScene();
    const { icons, report } = await gather({ mode: 'link' });
    expect(icons.size).toBe(0);
    expect(report).toMatchObject({ icons: 0, requests: null });
    expect(takeRequests()).toEqual([]);
  });

  it('returns no icon file that is already one of the assets', async () => {
    const { gather } = await startScene();
    // Paths are compared without their case, because some file systems ignore it.
    const assets = [
      { path: `${ICONS_FOLDER}unknown.png`, body: '' },
      { path: `${ICONS_FOLDER}ITEM-1.png`, body: '' },
    ];
    const { icons } = await gather({ assets });
    expect([...icons.keys()]).toEqual(NAMES.slice(1));
  });
});

describe('gatherIcons, if icons cannot be fetched,', () => {
  it('uses the cached icons if the upstream is unreachable', async () => {
    const { gather, faults, close } = await startScene();
    faults.set('item-3.png', status(404));
    await gather();
    await close();
    const { icons, report, notices } = await gather();
    expect(icons).toEqual(without('item-3.png'));
    expect(report).toMatchObject({
      missing: 1,
      placeholders: 1,
      failed: 5,
      problem: expect.stringContaining('ECONNREFUSED'),
      requests: { requests: 1, bodies: 0 },
    });
    expect(notices).toEqual([
      `could not fetch 5 icons, using the cached or published icon or the placeholder: ${report.problem}`,
    ]);
  });

  it('prefers a cached icon to the published one if a request fails', async () => {
    const { gather, faults } = await startScene();
    await gather();
    faults.set('item-1.png', status(500));
    const publishedSite = siteWith(publishedIcons('item-1.png'));
    const { icons, report } = await gather({ publishedSite });
    expect(icons).toEqual(allIcons);
    expect(report).toMatchObject({ failed: 1, published: 0 });
  });

  it('keeps a published icon only if the icon cannot be fetched', async () => {
    const { gather, faults } = await startScene();
    faults.set('item-1.png', status(500));
    faults.set('item-4.png', status(500));
    const publishedSite = siteWith(publishedIcons('item-1.png', 'item-2.png'));
    const result = await gather({ publishedSite });
    const { icons, report, warnings, losses, notices } = result;
    const expectedIcons = new Map([
      ...without('item-4.png'),
      ...publishedIcons('item-1.png'),
    ]);
    expect(icons).toEqual(expectedIcons);
    expect(report).toMatchObject({
      failed: 2,
      published: 1,
      placeholders: 1,
      missing: 0,
    });
    expect([warnings, losses]).toEqual([[], []]);
    expect(notices).toEqual([
      expect.stringMatching(/^could not fetch 2 icons, .* got 500/),
    ]);
  });

  it('sends only one request to an unreachable upstream', async () => {
    const { gather } = await startScene();
    const publishedSite = siteWith(publishedIcons(...NAMES));
    const { icons, report } = await gather({
      upstream: await deserted(),
      publishedSite,
    });
    expect(icons).toEqual(new Map(publishedIcons(...NAMES)));
    expect(report).toMatchObject({
      failed: 5,
      published: 5,
      requests: { requests: 1 },
    });
  });

  it('reports a loss for each item whose published icon is damaged', async () => {
    const { gather } = await startScene();
    const icons = publishedIcons('item-1.png', 'shared/both.png');
    icons.push(['item-2.png', PLACEHOLDER]);
    const publishedSite = siteWith(icons, { damaged: ['shared/both.png'] });
    const { losses, warnings } = await gather({
      upstream: await deserted(),
      publishedSite,
    });
    function createLoss(id: number) {
      const message = `item-${id} (${id}): the published sprites/items/shared/both.png is damaged and cannot be fetched`;
      return { code: 'icon-not-found', kind: 'item', id, message };
    }
    expect(losses).toEqual([createLoss(5), createLoss(6)]);
    expect(warnings).toEqual([]);
  });

  it('uses placeholders in a first build if the icons are not required', async () => {
    const { gather } = await startScene();
    const upstream = await deserted();
    const { icons, notices } = await gather({ upstream, isRequired: false });
    expect(icons).toEqual(without(...NAMES));
    expect(notices).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  const notPublished: [what: string, publishedSite: IconSite | undefined][] = [
    ['nothing is published', undefined],
    ['only placeholders are published', siteWith(without(...NAMES))],
  ];
  it.each(notPublished)(
    'fails if the icons are required and %s',
    async (_, publishedSite) => {
      const { gather } = await startScene();
      const gathering = gather({ upstream: await deserted(), publishedSite });
      await expect(gathering).rejects.toThrow(
        /ECONNREFUSED.*; 5 of 5 icons cannot be fetched, expected at most 1 %/,
      );
    },
  );

  const faults: [what: string, body: string | Buffer, problem: string][] = [
    ['a page', '<!doctype html>', 'item-2.png: got 15 bytes, expected a PNG'],
    ['an image after white space', '  RIFF1234WEBP', 'got 14 bytes, expected a PNG'],
    ['an empty body', '', 'got 0 bytes, expected a PNG'],
    [
      'a large image',
      Buffer.concat([icon('x'), Buffer.alloc(300_000)]),
      'got more than 262144 bytes',
    ],
  ];
  it.each(faults)('rejects %s in place of an icon', async (_, body, problem) => {
    const { gather, faults } = await startScene();
    faults.set('item-2.png', (response) => response.end(body));
    await expect(gather()).rejects.toThrow(problem);
  });

  /**
   * Gathers 100 icons. The given number of requests fails, and ten other icons do
   * not exist.
   */
  async function gatherHundred(failures: number) {
    const { gather, faults } = await startScene([...rawRecords(0, 100).item]);
    breakFirstIcons(faults, failures, 500);
    for (let id = 50; id < 60; id++) faults.set(`item-${id}.png`, status(404));
    return gather();
  }

  it('accepts a first build if one of 100 icons cannot be fetched', async () => {
    const { report } = await gatherHundred(1);
    expect(report).toMatchObject({ failed: 1, missing: 10, placeholders: 11 });
  });

  it('rejects a first build if two of 100 icons cannot be fetched', async () => {
    await expect(gatherHundred(2)).rejects.toThrow(
      '2 of 100 icons cannot be fetched',
    );
  });

  it('stops requesting icons after ten have failed', async () => {
    const scene = await startScene([...rawRecords(0, 20).item]);
    const { gather, faults, fetcher, takeRequests } = scene;
    breakFirstIcons(faults, 20, 500);
    const { report } = await gather({
      isRequired: false,
      fetcher: { ...fetcher, concurrency: 1 },
    });
    expect(report).toMatchObject({ failed: 20, placeholders: 20 });
    expect(takeRequests()).toHaveLength(10);
  });

  it('stops gathering icons if the build is aborted', async () => {
    const { gather, faults, fetcher } = await startScene();
    const controller = new AbortController();
    const reason = new Error('stopped by a signal');
    faults.set('item-1.png', () => controller.abort(reason));
    const gathering = gather({
      isRequired: false,
      fetcher: { ...fetcher, signal: controller.signal },
    });
    await expect(gathering).rejects.toThrow('stopped by a signal');
  });
});

describe('gatherIcons, if icons may not be fetched,', () => {
  it('uses the placeholder for icons that are not published', async () => {
    const { gather, takeRequests } = await startScene();
    const siteIcons = publishedIcons(...NAMES.slice(1));
    siteIcons.push(['item-3.png', PLACEHOLDER]);
    const publishedSite = siteWith(siteIcons, { damaged: ['item-2.png'] });
    const options = { fetcher: undefined, isRequired: false, publishedSite };
    const { icons, report, notices } = await gather(options);
    const keptIcons = publishedIcons('item-4.png', 'shared/both.png');
    expect(icons).toEqual(new Map([...without(...NAMES), ...keptIcons]));
    expect(report).toMatchObject({
      published: 2,
      missing: 0,
      placeholders: 3,
      requests: null,
    });
    expect(notices).toEqual([]);
    expect(takeRequests()).toEqual([]);
  });
});

describe('gatherIcons, for a copied site,', () => {
  it('copies all icons from the copied site without sending requests', async () => {
    const { gather, takeRequests } = await startScene();
    const { icons, report } = await gather({ copiedSite: siteWith(allIcons) });
    expect(icons).toEqual(allIcons);
    expect(report).toMatchObject({
      copied: 5,
      missing: 0,
      placeholders: 0,
      requests: null,
    });
    expect(takeRequests()).toEqual([]);
  });

  it('keeps the placeholders of a copied site that has a warning for each', async () => {
    const { gather, takeRequests } = await startScene();
    const copiedIcons = without('item-3.png', 'shared/both.png');
    const copiedSite = siteWith(copiedIcons, { warnings: 3 });
    const { icons, report, warnings } = await gather({ copiedSite });
    expect(icons).toEqual(copiedIcons);
    expect(report).toMatchObject({ copied: 5, missing: 2, placeholders: 2 });
    expect(warnings.map(({ id }) => id)).toEqual([3, 5, 6]);
    expect(takeRequests()).toEqual([]);
  });

  it('requests icons that the copied site does not have', async () => {
    const { gather, takeRequests } = await startScene();
    const copiedIcons = without('item-3.png');
    copiedIcons.set('item-4.png', icon('copied'));
    copiedIcons.delete('item-1.png');
    const { icons, report } = await gather({ copiedSite: siteWith(copiedIcons) });
    const expectedIcons = new Map(allIcons);
    expectedIcons.set('item-4.png', icon('copied'));
    expect(icons).toEqual(expectedIcons);
    expect(report).toMatchObject({ copied: 3, missing: 0, placeholders: 0 });
    expect(takeRequests().sort()).toEqual(['item-1.png', 'item-3.png']);
  });

  it('rejects an icon file from the copied site that is not an image', async () => {
    const { gather } = await startScene();
    const copiedSite = siteWith([['item-1.png', Buffer.from('<svg/>')]]);
    const problem =
      'known/sprites/items/item-1.png: expected a PNG, GIF, JPEG or WebP image';
    await expect(gather({ copiedSite })).rejects.toThrow(problem);
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
    cache: false,
    sprites: 'mirror',
    spritesUpstream: host.upstream,
    retries: 0,
  };
  return { ...host, site, run: () => build(options) };
}

it('rejects a build in which ten more icons are missing from the upstream', async () => {
  const { run, faults, site } = await prepareBuild(rawRecords(1, 20));
  breakFirstIcons(faults, 9, 404);
  const report = await run();
  const summary =
    'icons: 20 icons · 9 replaced by the placeholder · 11 bodies · 0 from cache';
  expect(formatSummary(report)).toContain(summary);
  const meta = JSON.parse(readFileSync(path.join(site, 'meta.json'), 'utf8'));
  expect(meta.warnings.item).toEqual({ 'icon-not-found': 9 });
  breakFirstIcons(faults, 19, 404);
  await expect(run()).rejects.toThrow(
    'item: got 10 of 20 records with a new icon-not-found',
  );
});

it('rejects a build that would lose ten published icons', async () => {
  const { run, close, site } = await prepareBuild(rawRecords(1, 20));
  await run();
  await close();
  for (let id = 1; id <= 10; id++) {
    rmSync(path.join(site, `sprites/items/item-${id}.png`));
  }
  await expect(run()).rejects.toThrow(
    'item: got 10 of 20 records with a new icon-not-found, expected at most 1 %: item-1 (1): the published',
  );
});

it("requests only the icons that are missing from a deployment's copy", async () => {
  const { run, site } = await prepareBuild({ item: sevenItems });
  await run();
  const { url: from, paths, requests } = await deploy(site);
  const out = path.join(temporaryFolder(), 'copy');
  const copy = () => mirror({ from, out, links: 'file', retries: 0 });
  const first = await copy();
  expect(first.icons).toMatchObject({
    mode: 'mirror',
    icons: 5,
    copied: 5,
    placeholders: 0,
  });
  const summary =
    'icons: 5 icons · 5 from the source · 0 replaced by the placeholder';
  expect(formatSummary(first)).toContain(summary);
  const requestedIcons = paths().filter((name) => name.startsWith('sprites/'));
  expect(requestedIcons).toHaveLength(6);
  rmSync(path.join(out, 'sprites/items/item-2.png'));
  writeFileSync(path.join(out, 'sprites/items/item-3.png'), 'other');
  requests.length = 0;
  await copy();
  expect(paths().sort()).toEqual([
    'manifest.json',
    'meta.json',
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

it.each(['a b', 'x;return 301 y', '$host', '%1', "x'y"])(
  'rejects the URL of --sprites-upstream if it contains %s',
  (part) => {
    const options = {
      sprites: 'link',
      spritesUpstream: `https://icons.test/${part}`,
    } as const;
    expect(() => resolveBuild(options, {})).toThrow('--sprites-upstream: ');
  },
);
