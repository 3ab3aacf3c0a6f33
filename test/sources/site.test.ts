import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diff } from '../../src/cli/commands/diff.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { SiteFile } from '../../src/contract/meta.ts';
import { listPageFile, listPath } from '../../src/contract/paths.ts';
import { digestLines } from '../../src/dataset/data-set.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { readLists } from '../../src/sources/crawl.ts';
import {
  entriesByPath,
  openSite,
  readManifest,
  readMeta,
  readPreviousSite,
} from '../../src/sources/site/read.ts';
import { folderStorage } from '../../src/sources/site/storage.ts';
import { openSnapshot, readPreviousSnapshot } from '../../src/sources/snapshot.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { encodeDataSet } from '../support/decode.ts';
import { deploy } from '../support/deployed.ts';
import { everyKind } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom, snapshotFolder } from '../support/reading.ts';
import { dataSetOf, rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const counts = everyKind({ move: 130, item: 3 }, () => 1);

async function readSite(target: string) {
  const { dataSet } = await loadFrom('site', target);
  return { ...dataSet, ...dataSet.provenance };
}

const summary = {
  digest: site.meta.digest,
  captured: '2026-01-02',
  counts: { move: 130, item: 3 },
  edition: null,
  records: site.records,
};

async function siteFolder(files = site.files()): Promise<string> {
  const folder = path.join(temporaryFolder(), 'site');
  await withOutput(folder, (output) => output.publish(files));
  return folder;
}

const snapshot = (...more: SiteFile[]) => snapshotFolder(encodeDataSet(dataSetOf(raw)), ...more);

describe('a data set', () => {
  /** @param siteAt the site that is deployed when the nth manifest is asked for */
  async function deployment(siteAt: (manifests: number) => Promise<string>): Promise<string> {
    let manifests = 0;
    const { url } = await startServer(async (response, { url: asked = '' }) => {
      if (asked === '/manifest.json') manifests++;
      const body = readFileSync(path.join(await siteAt(manifests), asked.replace(/\/+$/, '')));
      response.end(body);
    });
    return url;
  }

  it('is not read from a deployment whose files are not those of its manifest', async () => {
    const folder = await siteFolder();
    writeFileSync(path.join(folder, 'meta.json'), '{}');
    await expect(readSite(await deployment(async () => folder))).rejects.toThrow(
      /meta\.json: got 2 bytes, expected \d+, as in the manifest/,
    );
  });

  it('is read again from a deployment that is replaced meanwhile, three times at most', async () => {
    const whole = await siteFolder();
    const broken = await Promise.all(
      [1, 2, 3, 4].map(async (count) => {
        const folder = await siteFolder(siteOf(rawRecords(130, 3 + count)).files());
        writeFileSync(path.join(folder, 'meta.json'), '{}');
        return folder;
      }),
    );
    const until = (count: number) => async (manifests: number) =>
      (manifests <= count ? broken[manifests - 1] : whole) ?? whole;
    expect(await readSite(await deployment(until(3)))).toMatchObject(summary);
    await expect(readSite(await deployment(until(4)))).rejects.toMatchObject({
      message: expect.stringContaining('as in the manifest'),
      hint: expect.stringContaining('replaced'),
    });
  });

  it.each([
    [undefined, 'has no valid meta.json: ENOENT'],
    ['{', 'has no valid meta.json: invalid JSON'],
    ['{"format":1}', 'has no valid meta.json: generator: got nothing: expected string'],
    [
      '{"format":9,"generator":"gamedata/9.0.0"}',
      'meta.json has format 9, this version of gamedata reads format 1',
    ],
  ])('is not read from a site whose description is %j', async (text, problem) => {
    const folder = await siteFolder();
    if (text === undefined) rmSync(path.join(folder, 'meta.json'));
    else writeFileSync(path.join(folder, 'meta.json'), text);
    expect(() => openSite(folderStorage(folder))).toThrow(`${folder}: ${problem}`);
    if (text !== undefined) await expect(readSite(folder)).rejects.toThrow(problem);
  });

  it('is not read from a deployment without lists', async () => {
    let code = 404;
    const { url } = await startServer((response) => response.writeHead(code).end('"text"'));
    const missing = { method: 'GET', status: 404, attempts: 1, unreachable: false };
    await expect(readLists(url, { concurrency: 4 })).rejects.toMatchObject({ request: missing });
    code = 200;
    const problem = `${url}: GET /api/gamedata/move/?format=api: got "text": expected object`;
    await expect(readLists(url, { concurrency: 4 })).rejects.toThrow(problem);
  });

  it('is read from the lists of whatever has the same interface, though it lists no files', async () => {
    const texts = new Map<string, string>();
    const { url } = await startServer((response, { url: asked = '' }) => {
      const { pathname, searchParams } = new URL(asked, 'http://lists.test');
      const kind = kindNames.find((one) => pathname === listPath(one));
      const text = kind && texts.get(listPageFile(kind, Number(searchParams.get('offset'))));
      response.writeHead(text ? 200 : 404).end(text);
    });
    for (const { path, body } of site.files())
      texts.set(path, `${body}`.replaceAll('https://example.test', url));
    expect(await diff({ from: `${url}/`, to: await siteFolder() })).toMatchObject({
      ...{ from: { captured: null, counts, digest: summary.digest }, totals: { added: 0, changed: 0 } },
    });
    texts.delete(listPageFile('move', 100));
    const missing = `${url}/api/gamedata/move/?format=api&limit=100&offset=100`;
    await expect(diff({ from: url, to: url })).rejects.toMatchObject({
      request: { url: missing, status: 404 },
    });
  });

  it('is not read from a deployment of which any other file cannot be had', async () => {
    const { url, faults } = await deploy(await siteFolder());
    const page = listPageFile('move', 0);
    faults.set(page, (response) => response.writeHead(404).end());
    await expect(readSite(url)).rejects.toThrow(`GET ${url}/${page}: got 404`);
    faults.set('manifest.json', (response) => response.writeHead(403).end());
    await expect(readSite(url)).rejects.toThrow(`GET ${url}/manifest.json: got 403`);
  });

  it('is requested from a deployment with all that a site keeps of its past', async () => {
    const extras = ['sprites/items/a.png', 'names/fr.json', 'sprites.txt', 'a/names/x'];
    const body = JSON.stringify({ language: 'fr', ...everyKind({}, () => ({})) });
    const files = siteOf(raw, { extras: extras.map((path) => ({ path, body })) }).files();
    const { url, paths } = await deploy(await siteFolder(files));
    const { requests } = await loadFrom('site', url);
    const lists = [...kindNames.map((kind) => listPageFile(kind, 0)), listPageFile('move', 100)];
    const past = ['former.json', 'changes.json', 'names/fr.json'];
    expect(paths().sort()).toEqual([...lists, 'manifest.json', 'meta.json', ...past].sort());
    expect(requests).toMatchObject({ requests: paths().length, cacheHits: 0 });
  });
});

describe('the last site as the previous data set', () => {
  const move = listPageFile('move', 0);

  /** A published site, after something has happened to it. */
  async function previousOf(files: readonly SiteFile[], happens: (folder: string) => void = () => {}) {
    const folder = await siteFolder([...files]);
    happens(folder);
    const storage = folderStorage(folder);
    const published = { meta: readMeta(storage), entries: entriesByPath(readManifest(storage)) };
    return { folder, previous: readPreviousSite(storage, published), site: () => openSite(storage) };
  }
  const damage = (file: string, text?: string) => (folder: string) =>
    text === undefined ? rmSync(path.join(folder, file)) : writeFileSync(path.join(folder, file), text);

  const withPage = (body: string) => [
    ...site.files().filter((file) => file.path !== move),
    { path: move, body },
  ];

  it('has its description, its records, its old slugs and its history', async () => {
    const renamed = renamedSite();
    const { previous } = await previousOf(renamed.files());
    expect(previous).toMatchObject({ digest: renamed.meta.digest, captured: '2026-01-02' });
    expect(previous?.records()).toEqual(renamed.records);
    expect(previous?.history()?.steps).toHaveLength(1);
    expect(previous?.former().move).toEqual(new Map([['move-1', 1]]));
  });

  it('has no records without a description, even if that can be read a moment later', async () => {
    const { site: whole } = await previousOf(site.files());
    const { storage, entries } = whole();
    expect(readPreviousSite(storage, { entries })?.records()).toBeUndefined();
  });

  it('is none where nothing is published', () => {
    const nothing = { meta: undefined, entries: new Map() };
    expect(readPreviousSite(folderStorage('site'), nothing)).toBeUndefined();
  });

  it('is what its own files tell where it does not describe itself', async () => {
    const renamed = renamedSite();
    const { previous } = await previousOf(renamed.files(), damage('meta.json', '{'));
    expect(previous).toMatchObject({ digest: '', counts: { move: 3, item: 1 } });
    expect(previous?.records()).toBeUndefined();
    const slugs = ['move-2', 'move-3', 'new'].map((slug) => ({ id: Number(slug.slice(-1)) || 1, slug }));
    expect(previous?.listed?.().move).toEqual(slugs);
    expect(previous?.former().move).toEqual(new Map([['move-1', 1]]));
  });

  it.each<[string, string | undefined]>([
    ['is gone', undefined],
    ['is not JSON', '{'],
    ['has other records', '{"results":[]}'],
  ])('is known by the files of its records if a list page %s', async (_, text) => {
    const { previous, site: damaged, folder } = await previousOf(site.files(), damage(move, text));
    expect(previous?.records()).toBeUndefined();
    // No page of a list counts as a record.
    const known = raw.move.map(({ id, slug }) => ({ id, slug }));
    expect(previous?.listed?.().move).toEqual(expect.arrayContaining(known));
    damage('api/gamedata/move/move-7/index.json', '{"id":9}')(folder);
    expect(previous?.listed?.().move).toContainEqual({ slug: 'move-7' });
    const refusal =
      text === undefined
        ? { message: expect.stringContaining('cannot be read (ENOENT)') }
        : {
            message: expect.stringContaining('has SHA-256'),
            hint: 'gamedata verify <dir> lists every problem.',
          };
    expect(() => damaged().records()).toThrow(expect.objectContaining(refusal));
  });

  it.each(['7', 'null', '{"url":"","slug":""}', '{"url":"","id":1}', '{"id":1,"slug":""}'])(
    'is not read with the record %s on a list page, whatever the manifest says',
    async (record) => {
      const { site: listed } = await previousOf(withPage(`{"results":[${record}]}`));
      expect(() => listed().records()).toThrow(`${move} › results[0]: got ${record}: expected a record`);
    },
  );

  it('has other records than its digest says', async () => {
    const { site: listed } = await previousOf(withPage('{"results":[]}'));
    const problem = / › digest: got sha256:\w+, expected sha256:\w+, as in meta\.json$/;
    expect(() => listed().records()).toThrow(problem);
  });

  it('has an empty history if there never was one, and none if it cannot be read', async () => {
    const former = site.files().filter((file) => file.path !== 'changes.json');
    expect((await previousOf(former)).previous?.history()).toEqual({ steps: [] });
    for (const text of ['{"steps":[1]}', undefined])
      expect(
        (await previousOf(site.files(), damage('changes.json', text))).previous?.history(),
      ).toBeUndefined();
  });

  it('has no old slugs if former.json is damaged, which is an error', async () => {
    const { previous, folder } = await previousOf(renamedSite().files());
    expect(previous?.former().move).toEqual(new Map([['move-1', 1]]));
    damage('former.json', '{}')(folder);
    expect(() => previous?.former()).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('has old slugs that cannot be read'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
    expect(previous?.readableFormer?.()?.move).toEqual(new Map([['move-1', 1]]));
    damage('moved.json', '{')(folder);
    expect(previous?.readableFormer?.()).toBeUndefined();
  });

  it('lets a bug pass', () => {
    const meta = { ...site.meta, counts: undefined } as never;
    const entries = new Map([['a', { path: 'a', bytes: 0, sha256: '' }]]);
    expect(() => readPreviousSite(folderStorage('site'), { meta, entries })?.records()).toThrow(TypeError);
  });
});

describe('a snapshot as the previous data set', () => {
  it('is none where there is no snapshot', () => {
    expect(readPreviousSnapshot(temporaryFolder())).toBeUndefined();
  });

  it('has its records, slugs, provenance and history', () => {
    const history = '{"steps":[]}';
    const previous = readPreviousSnapshot(snapshot({ path: 'changes.json', body: history }));
    expect(previous).toMatchObject({ source: 'rest', captured: '2026-01-02', digest: site.meta.digest });
    expect(previous?.records()).toEqual(site.records);
    expect(previous?.history()).toEqual({ steps: [] });
  });

  it('may have records with fields of other versions, and a last line without its end', () => {
    const folder = snapshot();
    const write = (move: string) => {
      writeFileSync(path.join(folder, 'move.ndjson'), move);
      const digest = digestLines((kind) => readFileSync(path.join(folder, `${kind}.ndjson`)));
      const file = path.join(folder, 'provenance.json');
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), digest }));
    };
    write('{"power":40,"slug":"a","id":1}\n{"id":2,"slug":"b"}');
    expect(JSON.stringify(readPreviousSnapshot(folder)?.records()?.move)).toBe(
      '[{"power":40,"slug":"a","id":1},{"id":2,"slug":"b"}]',
    );
    write('{"id":"1","slug":"a"}\n');
    expect(() => readPreviousSnapshot(folder)?.records()).toThrow('move.ndjson line 1: got ');
  });
});

describe('the history of a snapshot', () => {
  it('is none where it has none', () => {
    expect(openSnapshot(snapshot()).history()).toBeUndefined();
  });

  it('has to end at its data, and to be one', () => {
    const renamed = renamedSite().files();
    const changes = renamed.find((file) => file.path === 'changes.json');
    const folder = snapshot({ path: 'changes.json', body: String(changes?.body) });
    expect(() => openSnapshot(folder).history()).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^changes\.json › steps\[0\]\.to\.digest: got sha256:\w+, expected sha256:\w+, as in provenance\.json$/,
        ),
        hint: 'Delete changes.json to start a new history.',
      }),
    );
    writeFileSync(path.join(folder, 'changes.json'), '{}');
    expect(() => openSnapshot(folder).history()).toThrow('changes.json › steps: got nothing');
    renameSync(path.join(folder, 'provenance.json'), path.join(folder, 'other.json'));
    writeFileSync(path.join(folder, 'changes.json'), '{"steps":[]}');
    expect(() => openSnapshot(folder).history()).toThrow(
      expect.objectContaining({
        hint: 'Create one with: gamedata snapshot --data <dir>',
        cause: expect.any(Error),
      }),
    );
  });
});
