import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath } from '../../src/contract/paths.ts';
import { summarizeNames } from '../../src/dataset/data-set.ts';
import { readLists } from '../../src/sources/crawl.ts';
import type { SourceContext } from '../../src/upstream/source.ts';
import { addManifest, damage, openChanged } from '../support/built-site.ts';
import { everyKind, namesIn } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const movePage = listPageFile('move', 0);

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
   * Serves a deployment that is replaced the given number of times. Each time, this
   * happens after the manifest was read and before `meta.json` is read.
   */
  function serveReplaced(times: number) {
    const brokenSites: Map<string, Buffer>[] = [];
    for (let count = 1; count <= times; count++) {
      const files = siteOf(rawRecords(130, 3 + count)).files();
      brokenSites.push(addManifest(files).set('meta.json', Buffer.from('{}')));
    }
    const lastSite = addManifest(site.files());
    let manifests = 0;
    return serve((path) => {
      if (path === 'manifest.json') manifests++;
      return brokenSites[manifests - 1] ?? lastSite;
    });
  }

  it('reads a deployment that is replaced three times while it is being read', async () => {
    const { load } = await serveReplaced(3);
    expect(await load()).toMatchObject({
      digest: site.meta.digest,
      captured: '2026-01-02',
      counts: { move: 130, item: 3 },
      edition: null,
      records: site.records,
    });
  });

  it('fails if a deployment is replaced four times while it is being read', async () => {
    const { load } = await serveReplaced(4);
    await expect(load()).rejects.toMatchObject({
      message: expect.stringMatching(
        /meta\.json: got 2 bytes, expected \d+, as in the manifest/,
      ),
    });
  });

  it("requests only a deployment's data files", async () => {
    const otherFiles = [
      'sprites/items/a.png',
      'names/fr.json',
      'sprites.txt',
      'a/names/x',
    ];
    const body = JSON.stringify({ language: 'fr', ...everyKind({}, () => ({})) });
    const extras = otherFiles.map((path) => ({ path, body }));
    const files = addManifest(siteOf(raw, { extras }).files());
    const { load, requests } = await serve(() => files);
    const result = await load();
    expect(result.requests).toMatchObject({
      requests: requests.length,
      cacheHits: 0,
    });
    const lists = [
      ...kindNames.map((kind) => listPageFile(kind, 0)),
      listPageFile('move', 100),
    ];
    const data = [
      'former.json',
      'changes.json',
      'names/fr.json',
      'manifest.json',
      'meta.json',
    ];
    const requested = requests.map(({ path }) => path.slice(1));
    expect(requested.sort()).toEqual([...lists, ...data].sort());
  });

  it.each([
    [movePage, 'after the same manifest was requested again', 2],
    ['manifest.json', 'without another request', 1],
  ])(
    'fails if %s is missing from a deployment, %s',
    async (file, _, manifestRequests) => {
      const files = addManifest(site.files());
      files.delete(file);
      const { url, load, requests } = await serve(() => files);
      await expect(load()).rejects.toThrow(`GET ${url}/${file}: got 404`);
      const manifests = requests.filter(({ path }) => path === '/manifest.json');
      expect(manifests).toHaveLength(manifestRequests);
    },
  );

  it('drops names that belong to unknown records', async () => {
    const records = { move: { 'move-1': 'Un', other: 'Autre' } };
    const names = [namesIn('fr', records)];
    const body = JSON.stringify(names[0]);
    const meta = JSON.stringify({ ...site.meta, names: summarizeNames(names) });
    const others = site.files().filter(({ path }) => path !== 'meta.json');
    const changed = [
      ...others,
      { path: 'meta.json', body: meta },
      { path: 'names/fr.json', body },
    ];
    const { load } = await serve(() => addManifest(changed));
    expect((await load()).readNames()).toEqual([
      namesIn('fr', { move: { 'move-1': 'Un' } }),
    ]);
  });

  it('requests the manifest again, bypassing caches, if it is not JSON', async () => {
    const errorPage = new Map([['manifest.json', Buffer.from('<html>')]]);
    const files = addManifest(site.files());
    const { load, requests } = await serve(() =>
      requests.length === 1 ? errorPage : files,
    );
    const { digest } = await load();
    expect(digest).toBe(site.meta.digest);
    expect(requests[1]?.path).toMatch(/^\/manifest\.json\?uncached=/);
  });

  it.each([
    ['requests the list pages if the published ones are damaged', '{}', true],
    ['uses the published records of the same data set', undefined, false],
  ])('%s', async (_, text, isRequested) => {
    const change = text === undefined ? undefined : damage(movePage, text);
    const { previous } = openChanged(site.files(), change);
    const { load, requests } = await serve(() => addManifest(site.files()));
    expect((await load({ previous })).records).toEqual(site.records);
    expect(requests.some(({ path }) => path === `/${movePage}`)).toBe(isRequested);
  });
});

it('reads the list pages from a deployment that has no manifest', async () => {
  const texts = new Map<string, string>();
  const { url } = await startServer((response, request) => {
    const { pathname, searchParams } = new URL(
      request.url ?? '',
      'http://lists.test',
    );
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
  expect(await read()).toMatchObject({
    captured: null,
    edition: null,
    counts,
    digest,
  });
  texts.delete(listPageFile('move', 100));
  const missing = `${url}/api/gamedata/move/?format=api&limit=100&offset=100`;
  await expect(read()).rejects.toMatchObject({
    request: `GET ${missing}`,
    status: 404,
  });
  texts.set(movePage, '"text"');
  const problem = `${url}: GET /api/gamedata/move/?format=api: got "text", expected object`;
  await expect(read()).rejects.toThrow(problem);
});
