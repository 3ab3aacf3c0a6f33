import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { listPageFile } from '../../src/contract/paths.ts';
import type { SiteFile } from '../../src/contract/site-file.ts';
import { digestLines } from '../../src/dataset/digest.ts';
import { DataError, OutputError } from '../../src/errors.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { readDataSet } from '../../src/sources/read-data-set.ts';
import { previousOfSite, readSiteRecords } from '../../src/sources/site-folder.ts';
import { previousOfSnapshot, readSnapshotHistory, snapshotFiles } from '../../src/sources/snapshot.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { encodeDataSet } from '../support/decode.ts';
import { startServer } from '../support/local-server.ts';
import { dataSetOf, rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const options = { concurrency: 4 };
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

function snapshotFolder(...more: { path: string; body: string }[]): string {
  const folder = path.join(temporaryFolder(), 'data');
  for (const { path: file, body } of [...snapshotFiles(encodeDataSet(dataSetOf(raw))), ...more])
    fsExtra.outputFileSync(path.join(folder, file), body);
  return folder;
}

describe('a data set', () => {
  it('is read from a snapshot', async () => {
    expect(await readDataSet(snapshotFolder(), options)).toEqual(summary);
  });

  it('is read from a site', async () => {
    expect(await readDataSet(await siteFolder(), options)).toEqual(summary);
  });

  /** @param describe what `meta.json` says the first time, the second time, and so on */
  async function deployment(describe: (count: number) => unknown = () => site.meta): Promise<string> {
    const files = new Map(site.files().map(({ path: file, body }) => [file, String(body)]));
    let described = 0;
    const { url } = await startServer((response, request) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x.test');
      const offset = Number(searchParams.get('offset') ?? 0);
      const file = pathname.endsWith('/')
        ? `${pathname}${offset ? `offset/${offset}/` : ''}index.json`
        : pathname;
      const body = file === '/meta.json' ? JSON.stringify(describe(++described)) : files.get(file.slice(1));
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    return url;
  }

  it('is read from a deployment, with or without final slashes', async () => {
    const url = await deployment();
    for (const target of [url, `${url}/`, `${url}//`])
      expect(await readDataSet(target, options)).toMatchObject(summary);
  });

  it('is not read from a deployment that describes another one', async () => {
    const url = await deployment(() => ({ ...site.meta, digest: 'sha256:0' }));
    await expect(readDataSet(url, options)).rejects.toThrow(
      expect.objectContaining({
        message: `${url} › digest: got ${site.meta.digest}: expected sha256:0, as in meta.json`,
        hint: 'It may be served partly from caches, or be replaced just now: try again later.',
      }),
    );
  });

  it('is read again from a deployment that is replaced meanwhile, three times at most', async () => {
    const from = (first: number) => (count: number) =>
      count < first ? { ...site.meta, digest: `sha256:${count}` } : site.meta;
    expect(await readDataSet(await deployment(from(4)), options)).toMatchObject(summary);
    await expect(readDataSet(await deployment(from(9)), options)).rejects.toThrow('expected sha256:4');
  });

  it('is not read from a folder that holds neither', async () => {
    const folder = temporaryFolder();
    await expect(readDataSet(folder, options)).rejects.toThrow(
      new OutputError(
        'contains neither provenance.json nor meta.json: expected a snapshot or a built site',
        folder,
      ),
    );
  });

  it('is not read from a site whose description cannot be read', async () => {
    const folder = await siteFolder();
    writeFileSync(path.join(folder, 'meta.json'), '{"format":9}');
    await expect(readDataSet(folder, options)).rejects.toThrow(
      `${folder}: meta.json has format 9, this version of gamedata reads format 1`,
    );
  });

  it.each([
    [404, 'GET URL/api/gamedata/move/?format=api: got status 404'],
    [200, 'URL: GET /api/gamedata/move/?format=api: got status 200'],
  ])('is not read from a deployment without lists: %i', async (status, problem) => {
    const { url } = await startServer((response) => response.writeHead(status).end('"text"'));
    const error = await readDataSet(url, options).catch((reason: Error) => reason);
    expect(String((error as Error).message).replace(url, 'URL')).toContain(problem);
    if (status === 404) {
      expect(error).toMatchObject({
        request: { method: 'GET', status: 404, attempts: 1, unreachable: false },
      });
    } else expect(error).toBeInstanceOf(DataError);
  });
});

/** A site as a manifest lists it. */
const publishedOf = ({ meta }: Pick<typeof site, 'meta'>, files: readonly SiteFile[] = site.files()) => ({
  meta,
  entries: new Map(
    files.map(({ path: file, body }) => [file, { path: file, bytes: 0, sha256: hash('sha256', body) }]),
  ),
});

describe('the last site as the previous data set', () => {
  const move = listPageFile('move', 0);

  it('has its description, its records and its history', async () => {
    const renamed = renamedSite();
    const folder = await siteFolder(renamed.files());
    const previous = previousOfSite(folder, publishedOf(renamed, renamed.files()));
    expect(previous).toMatchObject({ digest: renamed.meta.digest, captured: '2026-01-02' });
    expect(previous?.records()).toEqual(renamed.records);
    expect(previous?.history()?.steps).toHaveLength(1);
  });

  it('is none where nothing is published', () => {
    expect(previousOfSite('site', { meta: undefined, entries: new Map() })).toBeUndefined();
  });

  it('is what its paths and its history tell where it does not describe itself', async () => {
    const renamed = renamedSite();
    const folder = await siteFolder(renamed.files());
    const { entries } = publishedOf(renamed, renamed.files());
    const previous = previousOfSite(folder, { meta: undefined, entries });
    expect(previous).toMatchObject({ digest: renamed.meta.digest, captured: '2026-01-02' });
    expect(previous?.listed?.move.map(({ slug }) => slug)).toEqual(['new', 'move-2', 'move-3']);
    expect(previous?.records()).toBeUndefined();
    entries.delete('changes.json');
    expect(previousOfSite(folder, { meta: undefined, entries })).toMatchObject({ digest: '' });
  });

  it.each<[string, string | undefined, string | RegExp]>([
    ['is gone', undefined, 'index.json: cannot be read (ENOENT)'],
    ['is not JSON', '{', `${move}: invalid JSON: `],
    [
      'has other records',
      '{"results":[]}',
      / › digest: got sha256:\w+: expected sha256:\w+, as in meta\.json$/,
    ],
    ...['7', 'null', '{"url":"","slug":""}', '{"url":"","id":1}', '{"id":1,"slug":""}'].map(
      (record): [string, string, string] => [
        `has the record ${record}`,
        `{"results":[${record}]}`,
        `${move} › results[0]: got ${record}: expected a record`,
      ],
    ),
  ])('is known only by its paths if a list page %s', async (_, text, problem) => {
    const folder = await siteFolder();
    const file = path.join(folder, move);
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    const previous = previousOfSite(folder, publishedOf(site));
    expect(previous?.records()).toBeUndefined();
    // No page of a list counts as a record.
    expect(previous?.listed?.move).toEqual(raw.move.map(({ slug }) => ({ slug })));
    expect(() => readSiteRecords(folder, site.meta)).toThrow(problem);
  });

  it('has no history if there never was one, and an error if it cannot be read', async () => {
    const folder = await siteFolder();
    const former = site.files().filter((file) => file.path !== 'changes.json');
    expect(previousOfSite(folder, publishedOf(site, former))?.history()).toBeUndefined();
    const read = () => previousOfSite(folder, publishedOf(site))?.history();
    writeFileSync(path.join(folder, 'changes.json'), '{"steps":[1]}');
    expect(read).toThrow(
      `${folder}: has a history that cannot be read: changes.json › steps[0]: got 1: expected`,
    );
    expect(read).toThrow(expect.objectContaining({ hint: expect.stringContaining('--forget-history') }));
    rmSync(path.join(folder, 'changes.json'));
    expect(read).toThrow(/has a history that cannot be read: .*changes\.json: cannot be read \(ENOENT\)$/);
  });

  it('lets a bug pass', () => {
    const meta = { ...site.meta, counts: undefined } as never;
    expect(() => previousOfSite('site', publishedOf({ meta }))?.records()).toThrow(TypeError);
  });
});

describe('a snapshot as the previous data set', () => {
  it('is none where there is no snapshot', () => {
    expect(previousOfSnapshot(temporaryFolder())).toBeUndefined();
  });

  it('has its records, slugs, provenance and history', () => {
    const history = '{"steps":[]}';
    const previous = previousOfSnapshot(snapshotFolder({ path: 'changes.json', body: history }));
    expect(previous).toMatchObject({ source: 'rest', captured: '2026-01-02', digest: site.meta.digest });
    expect(previous?.records()).toEqual(site.records);
    expect(previous?.history()).toEqual({ steps: [] });
  });

  it('may have records with fields of other versions, and a last line without its end', () => {
    const folder = snapshotFolder();
    const write = (move: string) => {
      writeFileSync(path.join(folder, 'move.ndjson'), move);
      const digest = digestLines((kind) => readFileSync(path.join(folder, `${kind}.ndjson`)));
      const file = path.join(folder, 'provenance.json');
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), digest }));
    };
    write('{"power":40,"slug":"a","id":1}\n{"id":2,"slug":"b"}');
    expect(previousOfSnapshot(folder)?.records()?.move).toEqual([
      { id: 1, slug: 'a', json: '{"power":40,"slug":"a","id":1}' },
      { id: 2, slug: 'b', json: '{"id":2,"slug":"b"}' },
    ]);
    write('{"id":"1","slug":"a"}\n');
    expect(() => previousOfSnapshot(folder)?.records()).toThrow('move.ndjson line 1 › id: got "1"');
  });
});

describe('the history of a snapshot', () => {
  it('is none where it has none', () => {
    expect(readSnapshotHistory(snapshotFolder())).toBeUndefined();
  });

  it('has to end at its data, and to be one', () => {
    const renamed = renamedSite().files();
    const changes = renamed.find((file) => file.path === 'changes.json');
    const folder = snapshotFolder({ path: 'changes.json', body: String(changes?.body) });
    expect(() => readSnapshotHistory(folder)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^changes\.json › steps\[0\]\.to\.digest: got sha256:\w+: expected sha256:\w+, as in provenance\.json$/,
        ),
        hint: 'Delete changes.json to start a new history.',
      }),
    );
    writeFileSync(path.join(folder, 'changes.json'), '{}');
    expect(() => readSnapshotHistory(folder)).toThrow('changes.json › steps: got nothing');
    renameSync(path.join(folder, 'provenance.json'), path.join(folder, 'other.json'));
    writeFileSync(path.join(folder, 'changes.json'), '{"steps":[]}');
    expect(() => readSnapshotHistory(folder)).toThrow(
      expect.objectContaining({
        hint: 'Create one with: gamedata snapshot --data <dir>',
        cause: expect.any(Error),
      }),
    );
  });
});
