import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { makeSite } from '../../src/pipeline/make-site.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { encodeDataSet } from '../support/decode.ts';
import { stateNumber } from '../support/editions.ts';
import { deserted } from '../support/local-server.ts';
import { loadFrom, snapshotFolder } from '../support/reading.ts';
import {
  dataSetOf,
  onlyRaw,
  rawItem,
  rawMove,
  type SomeRecords,
} from '../support/sites.ts';
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
  return snapshotFolder(encodeDataSet(dataSetOf(records)));
}

/**
 * Loads a data set, and checks that `onFallback` was called with the message in the
 * result.
 */
async function loadAuto(upstream: string, options: Partial<SourceContext> = {}) {
  let message: string | undefined;
  let cause: Error | undefined;
  const result = await loadFrom('auto', upstream, {
    retries: 2,
    // Records of other kinds could have other generations.
    dataFolder: writeData(onlyRaw(createRecords(3, 7, 2))),
    onFallback(...fallback) {
      [message, cause] = fallback;
    },
    ...options,
  });
  expect(message).toBe(result.fallback);
  return { ...result, problem: cause?.message };
}

/** Creates a fault that responds with a status instead of the upstream's data. */
const respondWith =
  (status: number) =>
  (_: unknown, response: ServerResponse): boolean => {
    response.writeHead(status).end();
    return true;
  };

describe('the source auto', () => {
  it('falls back to the bundled data if no server is listening', async () => {
    const upstream = await deserted();
    const result = await loadAuto(upstream);
    const fallback = `${upstream} could not be reached${AGE}`;
    expect(result).toMatchObject({ source: 'snapshot', isCopy: true, fallback });
    expect(result.problem).toContain('ECONNREFUSED');
    expect(result.dataSet.records.move).toHaveLength(3);
  });

  it('falls back after one retry if a gateway cannot reach the upstream', async () => {
    let isBroken = false;
    const fault: Fault = (request, response) =>
      isBroken && respondWith(502)(request, response);
    const data = upstreamOf(tinyUpstream());
    const server = await serveUpstream(data, {
      fault,
      stateOf: () => stateNumber(1, data),
    });
    const cacheFolder = temporaryFolder();
    await loadAuto(server.url, { cacheFolder });
    isBroken = true;
    for (const options of [{}, { cacheFolder }]) {
      const result = await loadAuto(server.url, options);
      expect(result.fallback).toBe(`${server.url} could not be reached${AGE}`);
      expect(result.problem).toContain('got 502, expected 200 (2 attempts)');
    }
  });

  it('falls back without a retry if the network requires a login', async () => {
    const { url } = await serveUpstream(upstreamOf(tinyUpstream()), {
      fault: respondWith(511),
    });
    const result = await loadAuto(url);
    expect(result.fallback).toBe(`${url} could not be reached${AGE}`);
    expect(result.problem).toMatch(/got 511, expected 200$/);
  });

  it('explains the fallback in the report and in meta.json', async () => {
    const upstream = `${await deserted()}/api/v2`;
    const out = path.join(temporaryFolder(), 'site');
    const baseUrl = 'https://example.test';
    const options = {
      source: 'auto',
      upstream,
      baseUrl,
      out,
      cache: false,
      retries: 0,
    } as const;
    const { source, ...resolved } = resolveBuild(options, {});
    const report = await makeSite({
      ...resolved,
      source: { ...source, dataFolder: writeData(createRecords(1, 9)) },
    });
    const fallback = `${upstream} could not be reached: built from bundled data from 2026-01-02, generations 1 to 9`;
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
  });
});

describe('the source auto, if the upstream responds,', () => {
  it('does not fall back if the upstream responds', async () => {
    const { url } = await serveUpstream(upstreamOf(tinyUpstream()));
    const result = await loadAuto(url);
    expect(result).toMatchObject({
      source: 'rest',
      dataSet: { provenance: { upstream: url } },
    });
    expect(result.fallback).toBeUndefined();
  });

  it.each<[scope: string, fault: Fault, problem: string]>([
    [
      'an error is not from a gateway',
      respondWith(500),
      'got 500, expected 200 (3 attempts)',
    ],
    [
      'a gateway error affects only one record',
      (request, response) =>
        request.url?.endsWith('/move/2/') === true &&
        respondWith(522)(request, response),
      '/move/2/: got 522, expected 200 (3 attempts)',
    ],
  ])('fails instead of falling back if %s', async (_, fault, problem) => {
    const server = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
    await expect(loadAuto(server.url)).rejects.toThrow(problem);
  });
});
