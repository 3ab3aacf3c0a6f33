import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diff } from '../../src/cli/commands/diff.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { SiteFile } from '../../src/contract/meta.ts';
import { listPageFile, listPath } from '../../src/contract/paths.ts';
import { noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { readLists } from '../../src/sources/crawl.ts';
import {
  entriesByPath,
  openSite,
  readManifest,
  readMeta,
  readPreviousSite,
} from '../../src/sources/site/read.ts';
import { folderStorage, isArchive } from '../../src/sources/site/storage.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { deploy } from '../support/deployed.ts';
import { everyKind } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const movePage = listPageFile('move', 0);

async function readSite(target: string) {
  const { dataSet } = await loadFrom('site', target);
  return { ...dataSet, ...dataSet.provenance };
}

async function publish(files = site.files()): Promise<string> {
  const folder = path.join(temporaryFolder(), 'site');
  await withOutput(folder, (output) => output.publish(files));
  return folder;
}

describe('the site source', () => {
  it.each([
    [undefined, 'has no valid meta.json: ENOENT'],
    ['{', 'has no valid meta.json: invalid JSON'],
    ['{"format":1}', 'has no valid meta.json: generator: got nothing, expected string'],
    [
      '{"format":9,"generator":"gamedata/9.0.0"}',
      'meta.json has format 9, but this version of gamedata reads format 1',
    ],
  ])('rejects a site whose meta.json is %j', async (text, problem) => {
    const folder = await publish();
    if (text === undefined) rmSync(path.join(folder, 'meta.json'));
    else writeFileSync(path.join(folder, 'meta.json'), text);
    await expect(readSite(folder)).rejects.toThrow(`${folder}: ${problem}`);
  });

  it('rereads a deployment that is replaced while it is read, at most three times', async () => {
    const whole = await publish();
    const broken = await Promise.all(
      [1, 2, 3, 4].map(async (count) => {
        const folder = await publish(siteOf(rawRecords(130, 3 + count)).files());
        writeFileSync(path.join(folder, 'meta.json'), '{}');
        return folder;
      }),
    );
    const deployBroken = async (count: number) => {
      let manifests = 0;
      const { url } = await startServer((response, { url: asked = '' }) => {
        if (asked === '/manifest.json') manifests++;
        const folder = manifests <= count ? broken[manifests - 1] : whole;
        response.end(readFileSync(path.join(folder ?? whole, asked.replace(/\?.*|\/+$/g, ''))));
      });
      return url;
    };
    expect(await readSite(await deployBroken(3))).toMatchObject({
      ...{ digest: site.meta.digest, captured: '2026-01-02', counts: { move: 130, item: 3 } },
      ...{ edition: null, records: site.records },
    });
    await expect(readSite(await deployBroken(4))).rejects.toMatchObject({
      message: expect.stringMatching(/meta\.json: got 2 bytes, expected \d+, as in the manifest/),
      hint: expect.stringContaining('still updating'),
    });
  });

  it("requests only a deployment's data files, and fails if a file is missing", async () => {
    const extras = ['sprites/items/a.png', 'names/fr.json', 'sprites.txt', 'a/names/x'];
    const body = JSON.stringify({ language: 'fr', ...everyKind({}, () => ({})) });
    const files = siteOf(raw, { extras: extras.map((path) => ({ path, body })) }).files();
    const { url, paths, faults } = await deploy(await publish(files));
    const { requests } = await loadFrom('site', url);
    const lists = [...kindNames.map((kind) => listPageFile(kind, 0)), listPageFile('move', 100)];
    const data = ['former.json', 'changes.json', 'names/fr.json', 'manifest.json', 'meta.json'];
    expect(paths().sort()).toEqual([...lists, ...data].sort());
    expect(requests).toMatchObject({ requests: paths().length, cacheHits: 0 });
    for (const file of [movePage, 'manifest.json']) {
      faults.set(file, (response) => response.writeHead(404).end());
      await expect(readSite(url)).rejects.toThrow(`GET ${url}/${file}: got 404`);
    }
  });
});

describe('readLists', () => {
  it('reads a deployment without a manifest', async () => {
    const texts = new Map<string, string>();
    const { url } = await startServer((response, { url: asked = '' }) => {
      const { pathname, searchParams } = new URL(asked, 'http://lists.test');
      const kind = kindNames.find((one) => pathname === listPath(one));
      const text = kind && texts.get(listPageFile(kind, Number(searchParams.get('offset'))));
      response.writeHead(text ? 200 : 404).end(text);
    });
    for (const { path, body } of site.files())
      texts.set(path, `${body}`.replaceAll('https://example.test', url));
    const counts = everyKind({ move: 130, item: 3 }, () => 1);
    expect(await diff({ from: `${url}/`, to: await publish() })).toMatchObject({
      ...{ from: { captured: null, counts, digest: site.meta.digest }, totals: { added: 0, changed: 0 } },
    });
    texts.delete(listPageFile('move', 100));
    const missing = `${url}/api/gamedata/move/?format=api&limit=100&offset=100`;
    await expect(diff({ from: url, to: url })).rejects.toMatchObject({
      request: { method: 'GET', url: missing, status: 404, attempts: 1, unreachable: false },
    });
    texts.set(movePage, '"text"');
    const problem = `${url}: GET /api/gamedata/move/?format=api: got "text", expected object`;
    await expect(readLists(url, { concurrency: 4 })).rejects.toThrow(problem);
  });
});

describe('readPreviousSite', () => {
  const damage = (file: string, text?: string) => (folder: string) =>
    text === undefined ? rmSync(path.join(folder, file)) : writeFileSync(path.join(folder, file), text);

  /** Publishes a site, damages it, and reads it. */
  async function readDamaged(files: readonly SiteFile[], change: (folder: string) => void = () => {}) {
    const folder = await publish([...files]);
    change(folder);
    const storage = folderStorage(folder);
    const entries = entriesByPath(readManifest(storage));
    const published = { meta: readMeta(storage, entries), entries };
    return { folder, previous: readPreviousSite(storage, published), open: () => openSite(storage) };
  }

  it('returns undefined if nothing is published', () => {
    expect(readPreviousSite(folderStorage('site'), { entries: new Map() })).toBeUndefined();
  });

  it('reads meta.json, records, old slugs and history', async () => {
    const renamed = renamedSite();
    const { previous } = await readDamaged(renamed.files());
    expect(previous).toMatchObject({ digest: renamed.meta.digest, captured: '2026-01-02' });
    expect(previous?.records()).toEqual(renamed.records);
    expect(previous?.history()?.steps).toHaveLength(1);
    expect(previous?.oldSlugs().move).toEqual(new Map([['move-1', 1]]));
  });

  it('reads old slugs and record files if meta.json is damaged', async () => {
    const { previous } = await readDamaged(renamedSite().files(), damage('meta.json', '{'));
    expect(previous).toMatchObject({ digest: '', counts: { move: 3, item: 1 } });
    expect(previous?.records()).toBeUndefined();
    const slugs = ['move-2', 'move-3', 'new'].map((slug) => ({ id: Number(slug.slice(-1)) || 1, slug }));
    expect(previous?.listed?.().move).toEqual(slugs);
    expect(previous?.oldSlugs().move).toEqual(new Map([['move-1', 1]]));
  });

  it.each([
    ['is missing', undefined, { message: expect.stringContaining('cannot be read (ENOENT)') }],
    [
      'was changed',
      '{"results":[]}',
      {
        message: expect.stringContaining('as in the manifest'),
        hint: 'gamedata verify <dir> lists every problem.',
      },
    ],
  ])('lists record files if a list page %s', async (_, text, error) => {
    const { previous, open, folder } = await readDamaged(site.files(), damage(movePage, text));
    expect(previous?.records()).toBeUndefined();
    const records = raw.move.map(({ id, slug }) => ({ id, slug }));
    expect(previous?.listed?.().move).toEqual(expect.arrayContaining(records));
    damage('api/gamedata/move/move-7/index.json', '{"id":9}')(folder);
    expect(previous?.listed?.().move).toContainEqual({ slug: 'move-7' });
    expect(() => open().records()).toThrow(expect.objectContaining(error));
  });

  it.each<[page: string, problem: string | RegExp]>([
    ...['7', 'null', '{"url":"","slug":""}', '{"url":"","id":1}', '{"id":1,"slug":""}'].map(
      (record): [string, string] => [
        `{"results":[${record}]}`,
        `${movePage} › results[0]: got ${record}, expected a record`,
      ],
    ),
    ['{"results":[]}', / › digest: got sha256:\w+, expected sha256:\w+, as in meta\.json$/],
  ])('rejects the list page %s, even if the manifest lists it', async (body, problem) => {
    const others = site.files().filter((file) => file.path !== movePage);
    const { open } = await readDamaged([...others, { path: movePage, body }]);
    expect(() => open().records()).toThrow(problem);
  });

  it('returns an empty history if changes.json is missing, and undefined if it is damaged', async () => {
    const others = site.files().filter((file) => file.path !== 'changes.json');
    expect((await readDamaged(others)).previous?.history()).toEqual({ steps: [] });
    for (const text of ['{"steps":[1]}', undefined])
      expect(
        (await readDamaged(site.files(), damage('changes.json', text))).previous?.history(),
      ).toBeUndefined();
  });

  it('rejects damaged old slugs, but recovers old slugs from redirects', async () => {
    const { previous, folder } = await readDamaged(renamedSite().files(), damage('former.json', '{}'));
    expect(() => previous?.oldSlugs()).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('has old slugs that cannot be read'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
    expect(previous?.oldSlugs(true).move).toEqual(new Map([['move-1', 1]]));
    damage('moved.json', '{')(folder);
    expect(previous?.oldSlugs(true)).toEqual(noOldSlugs);
  });
});

it.each([
  ['site.tar.gz', true],
  ['/backups/site.tgz', true],
  ['site', false],
  ['https://example.test/site.tar.gz', false],
])('isArchive: %s → %s', (name, expected) => {
  expect(isArchive(name)).toBe(expected);
});
