import { describe, expect, it } from 'vitest';
import { readManifest } from '../../src/built/own-files.ts';
import { readPreviousSite, readPublishedMeta } from '../../src/built/previous-site.ts';
import { openSite } from '../../src/built/site.ts';
import { memoryStorage } from '../../src/built/storage.ts';
import { entriesByPath } from '../../src/built/verified-files.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { SiteFile } from '../../src/contract/meta.ts';
import { listPageFile, listPath } from '../../src/contract/paths.ts';
import { summarizeNames } from '../../src/dataset/data-set.ts';
import { emptyHistory } from '../../src/dataset/history.ts';
import { noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { RESTART } from '../../src/dataset/past.ts';
import { createEntry } from '../../src/site/manifest.ts';
import { readLists } from '../../src/sources/crawl.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { everyKind, namesIn } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const movePage = listPageFile('move', 0);

/** Maps the path of each file, including the manifest, to its body. */
function addManifest(files: readonly SiteFile[] = site.files()): Map<string, Buffer> {
  const bodies = new Map(files.map(({ path, body }) => [path, Buffer.from(body)]));
  const listed = Array.from(bodies, ([path, body]) => createEntry(path, body));
  const manifest = { format: 1, generator: 'gamedata/1', files: listed };
  return bodies.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
}

async function serve(findFiles: (path: string) => Map<string, Buffer>) {
  const server = await startServer((response, { url = '' }) => {
    const path = url.slice(1).replace(/\?.*/, '');
    const body = findFiles(path).get(path);
    response.writeHead(body ? 200 : 404).end(body);
  });
  async function load(options: Partial<SourceContext> = {}) {
    const { dataSet, requests } = await loadFrom('site', server.url, options);
    return { ...dataSet, ...dataSet.provenance, requests };
  }
  return { ...server, load };
}

describe('the site source', () => {
  /**
   * Serves a deployment that is replaced so many times after its manifest was read, each time
   * before its `meta.json`.
   */
  function serveReplaced(times: number) {
    const brokenSites: Map<string, Buffer>[] = [];
    for (let count = 1; count <= times; count++) {
      const files = siteOf(rawRecords(130, 3 + count)).files();
      brokenSites.push(addManifest(files).set('meta.json', Buffer.from('{}')));
    }
    const lastSite = addManifest();
    let manifests = 0;
    return serve((path) => {
      if (path === 'manifest.json') manifests++;
      return brokenSites[manifests - 1] ?? lastSite;
    });
  }

  it('reads a deployment again that is replaced three times while it is read', async () => {
    const { load } = await serveReplaced(3);
    expect(await load()).toMatchObject({
      digest: site.meta.digest,
      captured: '2026-01-02',
      counts: { move: 130, item: 3 },
      edition: null,
      records: site.records,
    });
  });

  it('fails if a deployment is replaced four times while it is read', async () => {
    const { load } = await serveReplaced(4);
    await expect(load()).rejects.toMatchObject({
      message: expect.stringMatching(/meta\.json: got 2 bytes, expected \d+, as in the manifest/),
      hint: expect.stringContaining('still updating'),
    });
  });

  it("requests only a deployment's data files", async () => {
    const otherFiles = ['sprites/items/a.png', 'names/fr.json', 'sprites.txt', 'a/names/x'];
    const body = JSON.stringify({ language: 'fr', ...everyKind({}, () => ({})) });
    const extras = otherFiles.map((path) => ({ path, body }));
    const files = addManifest(siteOf(raw, { extras }).files());
    const { load, requests } = await serve(() => files);
    const result = await load();
    expect(result.requests).toMatchObject({ requests: requests.length, cacheHits: 0 });
    const lists = [...kindNames.map((kind) => listPageFile(kind, 0)), listPageFile('move', 100)];
    const data = ['former.json', 'changes.json', 'names/fr.json', 'manifest.json', 'meta.json'];
    const requested = requests.map(({ path }) => path.slice(1));
    expect(requested.sort()).toEqual([...lists, ...data].sort());
  });

  it.each([
    [movePage, 'after the same manifest was requested again', 2],
    ['manifest.json', 'without another request', 1],
  ])('fails if %s is missing, %s', async (file, _, manifestRequests) => {
    const files = addManifest();
    files.delete(file);
    const { url, load, requests } = await serve(() => files);
    await expect(load()).rejects.toThrow(`GET ${url}/${file}: got 404`);
    const manifests = requests.filter(({ path }) => path === '/manifest.json');
    expect(manifests).toHaveLength(manifestRequests);
  });

  it('drops the names of unknown records', async () => {
    const records = { move: { 'move-1': 'Un', other: 'Autre' } };
    const names = [namesIn('fr', records)];
    const body = JSON.stringify(names[0]);
    const meta = JSON.stringify({ ...site.meta, names: summarizeNames(names) });
    const others = site.files().filter(({ path }) => path !== 'meta.json');
    const changed = [...others, { path: 'meta.json', body: meta }, { path: 'names/fr.json', body }];
    const { load } = await serve(() => addManifest(changed));
    expect((await load()).names).toEqual([namesIn('fr', { move: { 'move-1': 'Un' } })]);
  });

  it('bypasses caches if the manifest is not JSON', async () => {
    const errorPage = new Map([['manifest.json', Buffer.from('<html>')]]);
    const files = addManifest();
    const { load, requests } = await serve(() => (requests.length === 1 ? errorPage : files));
    const { digest } = await load({ retries: 1 });
    expect(digest).toBe(site.meta.digest);
    expect(requests[1]?.path).toMatch(/^\/manifest\.json\?edition=/);
  });

  it.each([
    ['requests the list pages if the published ones are damaged', '{}', true],
    ['uses the published records of the same data set', undefined, false],
  ])('%s', async (_, text, isRequested) => {
    const change = text === undefined ? undefined : damage(movePage, text);
    const { previous } = openChanged(site.files(), change);
    const { load, requests } = await serve(() => addManifest());
    expect((await load({ previous })).records).toEqual(site.records);
    expect(requests.some(({ path }) => path === `/${movePage}`)).toBe(isRequested);
  });
});

it('readLists reads a deployment without a manifest', async () => {
  const texts = new Map<string, string>();
  const { url } = await startServer((response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://lists.test');
    const kind = kindNames.find((name) => pathname === listPath(name));
    const offset = Number(searchParams.get('offset'));
    const text = kind && texts.get(listPageFile(kind, offset));
    response.writeHead(text ? 200 : 404).end(text);
  });
  for (const { path, body } of site.files()) {
    texts.set(path, `${body}`.replaceAll('https://example.test', url));
  }
  const read = () => readLists(url, { concurrency: 4 });
  const { digest, counts } = site.meta;
  expect(await read()).toMatchObject({ captured: null, edition: null, counts, digest });
  texts.delete(listPageFile('move', 100));
  const missing = `${url}/api/gamedata/move/?format=api&limit=100&offset=100`;
  await expect(read()).rejects.toMatchObject({
    request: { method: 'GET', url: missing, status: 404, attempts: 1, unreachable: false },
  });
  texts.set(movePage, '"text"');
  const problem = `${url}: GET /api/gamedata/move/?format=api: got "text", expected object`;
  await expect(read()).rejects.toThrow(problem);
});

/** Opens a site after a change to its files. */
function openChanged(files: readonly SiteFile[], change?: (files: Map<string, Buffer>) => void) {
  const bodies = addManifest(files);
  change?.(bodies);
  const storage = memoryStorage('site', '/', bodies);
  const entries = entriesByPath(readManifest(storage));
  const previous = readPreviousSite(storage, {
    meta: readPublishedMeta(storage, entries),
    entries,
  });
  return { bodies, previous, open: () => openSite(storage) };
}

/** Returns a change that replaces a file's text, or deletes the file. */
function damage(file: string, text?: string) {
  return (bodies: Map<string, Buffer>): void => {
    if (text === undefined) bodies.delete(file);
    else bodies.set(file, Buffer.from(text));
  };
}

describe('openSite', () => {
  it.each([
    [undefined, 'has no valid meta.json: ENOENT'],
    ['{', 'has no valid meta.json: invalid JSON'],
    ['{"format":1}', 'has no valid meta.json: generator: got nothing, expected string'],
    [
      '{"format":9,"generator":"gamedata/9.0.0"}',
      'meta.json has format 9, but this version of gamedata reads format 1',
    ],
  ])('rejects a site whose meta.json is %j', (text, problem) => {
    const { open, previous } = openChanged(site.files(), damage('meta.json', text));
    expect(open).toThrow(`site: ${problem}`);
    expect(previous?.digest).toBe('');
  });

  const fields = Array.from({ length: 98 }, (_, at) => `"x${at}":1`).join();
  const invalidRecords = [
    ...['7', 'null', '{"url":"","slug":""}', '{"url":"","id":1}', '{"id":1,"slug":""}'],
    ...['{"url":"","id":1,"slug":"","x":[]}', '{"url":"","id":1,"slug":"","x":{}}'],
  ];
  it.each<[page: string, problem: string | RegExp]>([
    ...invalidRecords.map((record): [string, string] => [
      `{"results":[${record}]}`,
      `${movePage} › results[0]: got ${record}, expected a record`,
    ]),
    [
      `{"results":[{"url":"","id":1,"slug":"",${fields}}]}`,
      /results\[0\]: got .*, expected a record$/,
    ],
    ['{"results":[]}', / › digest: got sha256:\w+, expected sha256:\w+, as in meta\.json$/],
  ])('rejects the list page %s, even if the manifest lists it', (body, problem) => {
    const others = site.files().filter((file) => file.path !== movePage);
    const { open } = openChanged([...others, { path: movePage, body }]);
    expect(() => open().records()).toThrow(problem);
  });
});

describe('readPreviousSite', () => {
  it('returns undefined if nothing is published', () => {
    const storage = memoryStorage('site', '/', new Map());
    expect(readPreviousSite(storage, { entries: new Map() })).toBeUndefined();
  });

  it('reads meta.json, records, old slugs and history', () => {
    const renamed = renamedSite();
    const { previous } = openChanged(renamed.files());
    expect(previous).toMatchObject({ digest: renamed.meta.digest, captured: '2026-01-02' });
    expect(previous?.records()).toEqual(renamed.records);
    expect(previous?.readPast(false).history.steps).toHaveLength(1);
    expect(previous?.readPast(false).oldSlugs.move).toEqual(new Map([['move-1', 1]]));
  });

  it('reads old slugs and record files if meta.json is damaged', () => {
    const { previous } = openChanged(renamedSite().files(), damage('meta.json', '{'));
    expect(previous).toMatchObject({ digest: '', counts: { move: 3, item: 1 } });
    expect(previous?.records()).toBeUndefined();
    const slugs = ['new', 'move-2', 'move-3'].map((slug, at) => ({ id: at + 1, slug }));
    expect(previous?.listed?.().move).toEqual(slugs);
    expect(previous?.readPast(false).oldSlugs.move).toEqual(new Map([['move-1', 1]]));
  });

  const hint = 'gamedata verify <dir> lists every problem.';
  it.each([
    ['is missing', undefined, { message: expect.stringContaining('cannot be read (ENOENT)') }],
    ['was changed', '{}', { message: expect.stringContaining('has 2 bytes, expected'), hint }],
  ])('lists record files if a list page %s', (_, text, error) => {
    const { previous, open, bodies } = openChanged(site.files(), damage(movePage, text));
    expect(previous?.records()).toBeUndefined();
    const records = raw.move.map(({ id, slug }) => ({ id, slug }));
    expect(previous?.listed?.().move).toEqual(expect.arrayContaining(records));
    damage('api/gamedata/move/move-7/index.json', '{"id":9}')(bodies);
    expect(previous?.listed?.().move).toContainEqual({ slug: 'move-7' });
    expect(() => open().records()).toThrow(expect.objectContaining(error));
  });

  it.each([
    ['nothing if changes.json is not listed', [], false, undefined],
    ['a new history if changes.json is missing', [RESTART], true, undefined],
    ['a new history if changes.json is invalid', [RESTART], true, '{"steps":[1]}'],
  ])('reports %s', (_, notices, isListed, text) => {
    const files = site.files().filter(({ path }) => isListed || path !== 'changes.json');
    const { previous } = openChanged(files, damage('changes.json', text));
    expect(previous?.readPast(false)).toMatchObject({ history: emptyHistory, notices });
  });

  it('rejects damaged old slugs, but recovers old slugs from redirects', () => {
    const { previous, bodies } = openChanged(renamedSite().files(), damage('former.json', '{'));
    expect(() => previous?.readPast(false)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('has old slugs that cannot be read'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
    expect(previous?.readPast(true).oldSlugs.move).toEqual(new Map([['move-1', 1]]));
    damage('moved.json', '{')(bodies);
    expect(previous?.readPast(true).oldSlugs).toEqual(noOldSlugs);
  });

  it.each([true, false])(
    'adds old slugs that differ from the manifest to the published redirects (may be lost: %s)',
    (mayBeLost) => {
      const former = '{"move":{"move-1":3,"other":2},"item":{}}';
      const { previous } = openChanged(renamedSite().files(), damage('former.json', former));
      const { oldSlugs, notices } = previous?.readPast(mayBeLost) ?? {};
      expect(oldSlugs?.move).toEqual(
        new Map([
          ['move-1', 1],
          ['other', 2],
        ]),
      );
      expect(notices).toEqual([
        'former.json differs from the manifest, as after an interrupted build: its old slugs are added to the published redirects',
      ]);
    },
  );

  it('cuts a history that differs from the manifest at the published data', () => {
    const renamed = renamedSite();
    const files = renamed.files();
    const published = `${files.find(({ path }) => path === 'changes.json')?.body}`;
    const [step] = JSON.parse(published).steps;
    const newer = { ...step, from: step.to, to: step.from };
    const { previous } = openChanged(
      files,
      damage('changes.json', JSON.stringify({ steps: [newer, step] })),
    );
    expect(previous?.readPast(false)).toMatchObject({
      history: { steps: [step] },
      notices: [
        'changes.json differs from the manifest, as after an interrupted build: its steps up to the published data are kept',
      ],
    });
  });
});
