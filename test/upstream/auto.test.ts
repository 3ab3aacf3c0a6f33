import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { makeSite } from '../../src/pipeline/make-site.ts';
import { createAutoSource } from '../../src/upstream/auto.ts';
import { snapshotSource } from '../../src/upstream/snapshot.ts';
import type { SourceContext } from '../../src/upstream/source.ts';
import { withoutBypass } from '../support/editions.ts';
import { deserted, reset } from '../support/local-server.ts';
import { onlyRaw, rawItem, rawMove, type SomeRecords } from '../support/sites.ts';
import { createStoredData, writeDataSet } from '../support/stored-data.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { Fault } from '../support/upstream-server.ts';

const AGE =
  ': built from bundled data from 2026-01-02, generations 2 to 7; the live upstream has more';

/** Creates one move for each of the generations, and one item. */
function createRecords(...generations: number[]): SomeRecords {
  const move = generations.map((generation, at) => rawMove(at + 1, { generation }));
  return { move, item: [rawItem(1)] };
}

function writeData(records: SomeRecords): string {
  return writeDataSet(createStoredData(records));
}

/** Loads a data set, and returns the reason for falling back, if any. */
async function loadAuto(
  defaultUpstream: string,
  options: Partial<SourceContext> = {},
) {
  let problem: string | undefined;
  const load = createAutoSource(snapshotSource, defaultUpstream);
  const result = await load({
    source: 'auto',
    upstream: undefined,
    // Records of other kinds could have other generations.
    dataFolder: writeData(onlyRaw(createRecords(3, 7, 2))),
    cacheFolder: undefined,
    today: '2026-01-02',
    concurrency: 4,
    retryBaseMs: 1,
    onFallback(message, cause) {
      expect(message).toBe(`${defaultUpstream} could not be read${AGE}`);
      problem = cause.message;
    },
    ...options,
  });
  return { ...result, problem };
}

/** Creates a fault at each URL that contains the text. */
const failAt =
  (part: string, respond: (response: Parameters<Fault>[1]) => void): Fault =>
  ({ url = '' }, response) => {
    if (!withoutBypass(url).includes(part)) return false;
    respond(response);
    return true;
  };

const serveTiny = (fault?: Fault) =>
  serveUpstream(upstreamOf(tinyUpstream()), fault && { fault });

describe('the source auto', () => {
  it('uses the upstream if its first list can be read', async () => {
    const { url } = await serveTiny();
    const result = await loadAuto(url);
    const provenance = { upstream: url };
    expect(result).toMatchObject({ source: 'rest', dataSet: { provenance } });
    expect(result.problem).toBeUndefined();
  });

  it('falls back to the bundled data after two attempts if no server is listening', async () => {
    const result = await loadAuto(await deserted());
    expect(result).toMatchObject({ source: 'snapshot', isCopy: true });
    expect(result.problem).toMatch(
      /\/meta\/: connect ECONNREFUSED .*\(2 attempts\)$/,
    );
    expect(result.dataSet.readRecords().move).toHaveLength(3);
  });

  it.each<[what: string, fault: Fault, problem: string]>([
    ['every connection is cut', failAt('', reset), '(2 attempts)'],
    [
      'the upstream blocks every request',
      failAt('', (response) => response.writeHead(451).end()),
      '451',
    ],
    [
      "the upstream's first list is an error page",
      failAt('/move/?', (response) => response.end('<html>')),
      'got invalid JSON',
    ],
    [
      "the upstream's first list is truncated",
      failAt('/move/?', (response) => response.end('{"count":3,"results":[]}')),
      "got 0 results, expected 3 (the list's count)",
    ],
  ])('falls back to the bundled data if %s', async (_, fault, problem) => {
    const { url } = await serveTiny(fault);
    const result = await loadAuto(url);
    expect(result.source).toBe('snapshot');
    expect(result.problem).toContain(problem);
  });

  const broken = failAt('', (response) => response.writeHead(400).end());

  it.each<[what: string, fault: Fault, options: Partial<SourceContext>]>([
    [
      'other data is already published',
      broken,
      { previous: createStoredData(createRecords(1)) },
    ],
    ['an upstream is named', broken, {}],
    ['only a later list fails', failAt('/item/?', reset), {}],
    ['only a record fails', failAt('/item/1/', reset), {}],
  ])('fails instead of falling back if %s', async (what, fault, options) => {
    const { url } = await serveTiny(fault);
    const named = what === 'an upstream is named' ? { upstream: url } : {};
    const loading = loadAuto(url, { upstream: undefined, ...named, ...options });
    await expect(loading).rejects.toMatchObject({ code: 'upstream' });
  });

  it('falls back to the bundled data again if that data is already published', async () => {
    const { url } = await serveTiny(broken);
    const first = await loadAuto(url);
    const options = { previous: first.dataSet };
    expect(await loadAuto(url, options)).toMatchObject({ source: 'snapshot' });
  });

  it('fails instead of falling back if the data is too large', async () => {
    const { url } = await serveTiny();
    const loading = loadAuto(url, { maxMemoryBytes: 10 });
    await expect(loading).rejects.toMatchObject({ code: 'data' });
  });

  it('fails instead of falling back if the build is aborted', async () => {
    const stop = new AbortController();
    const { url } = await serveTiny(failAt('', () => stop.abort()));
    await expect(loadAuto(url, { signal: stop.signal })).rejects.toThrow('aborted');
  });
});

it('explains the fallback of the source auto in the report and in meta.json', async () => {
  // The default upstream is on the internet, so its requests go to a dead proxy.
  vi.stubEnv('HTTPS_PROXY', await deserted());
  onTestFinished(() => void vi.unstubAllEnvs());
  const out = path.join(temporaryFolder(), 'site');
  const { source, ...resolved } = resolveBuild({
    source: 'auto',
    baseUrl: 'https://example.test',
    out,
    cache: temporaryFolder(),
  });
  const dataFolder = writeData(createRecords(1, 9));
  const makeSiteAgain = () =>
    makeSite({ ...resolved, source: { ...source, dataFolder, retryBaseMs: 1 } });
  const report = await makeSiteAgain();
  const fallback =
    'https://pokeapi.co/api/v2 could not be read: built from bundled data from 2026-01-02, generations 1 to 9';
  expect(report.data).toMatchObject({
    source: 'snapshot',
    fallback,
    requests: null,
    counts: { move: 2 },
  });
  const meta: unknown = JSON.parse(
    readFileSync(path.join(out, 'meta.json'), 'utf8'),
  );
  expect(meta).toMatchObject({
    fallback,
    upstream: 'https://upstream.test/api/v2',
    counts: { move: 2 },
  });
  expect(await makeSiteAgain()).toMatchObject({ changed: false });
  // Now other data than the bundled data is published.
  writeDataSet(createStoredData(createRecords(1, 9, 2)), dataFolder);
  await expect(makeSiteAgain()).rejects.toMatchObject({ code: 'upstream' });
});
