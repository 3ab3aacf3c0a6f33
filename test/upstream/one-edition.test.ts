import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { SourceContext } from '../../src/upstream/source.ts';
import { encodeDataSet } from '../support/decode.ts';
import { editionNumber, namedEdition, stateNumber } from '../support/editions.ts';
import { createRandom } from '../support/random.ts';
import { loadFrom } from '../support/reading.ts';
import { dataSetOf, rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  itemAnswer,
  moveAnswer,
  range,
  type UpstreamData,
  upstreamOf,
} from '../support/upstream-data.ts';
import type { Fault, State, UpstreamOptions } from '../support/upstream-server.ts';

/**
 * The newer state has one fewer move and one more item. Its remaining move has
 * another name and slug.
 */
const older = upstreamOf({
  move: [moveAnswer(1), moveAnswer(2)],
  item: [itemAnswer(1)],
});
const newer = upstreamOf({
  move: [moveAnswer(1, { name: 'renamed', names: [] })],
  item: [itemAnswer(1), itemAnswer(2)],
});

/** Returns the number of requests for all lists and records, and for `/meta/`. */
function countRequests(data = newer): number {
  let requests = 1;
  for (const kind of kindNames) requests += 1 + data.list(kind).length;
  return requests;
}

/** Serves an upstream. The returned `read` function reads it with a cache. */
async function startScene(upstreamOptions: UpstreamOptions) {
  const server = await serveUpstream(newer, upstreamOptions);
  const cacheFolder = temporaryFolder();
  async function read(options: Partial<SourceContext> = {}) {
    const before = server.log.length;
    const result = await loadFrom('rest', server.url, { cacheFolder, ...options });
    const { dataSet, isCached } = result;
    return {
      digest: dataSet.digest,
      edition: dataSet.provenance.edition,
      isCached,
      sent: server.log.length - before,
    };
  }
  const listJournals = (): string[] =>
    readdirSync(path.join(cacheFolder, 'journals'));
  return { server, read, listJournals };
}

function digestOf(upstream: UpstreamData): string {
  const dataSet = dataSetOf(rawOf(upstream));
  return encodeDataSet(dataSet).digest;
}

const digests = { newer: digestOf(newer), older: digestOf(older) };
const second = { digest: digests.newer, edition: namedEdition(2) };

/** Responds with a status to requests for a path. */
const failAt =
  (part: string, status: number, times = Number.POSITIVE_INFINITY): Fault =>
  ({ url = '' }, response) => {
    if (!url.includes(part) || times <= 0) return false;
    times--;
    response.writeHead(status).end('{}');
    return true;
  };

it('publishes the edition of the current data and of each step in its history', async () => {
  let state = stateNumber(1, older);
  const { server } = await startScene({ stateOf: () => state });
  const out = path.join(temporaryFolder(), 'site');
  const options = {
    source: 'rest',
    upstream: server.url,
    baseUrl: 'https://example.test',
    out,
    cache: temporaryFolder(),
    maxShrink: 100,
  } as const;
  await build(options);
  state = stateNumber(3, newer);
  await build(options);
  const readText = (file: string): string =>
    readFileSync(path.join(out, file), 'utf8');
  const meta = JSON.parse(readText('meta.json'));
  expect(meta.edition).toEqual(namedEdition(3));
  expect(readText('index.html')).toContain('edition 00000000 from 2026-04-03');
  const { steps } = JSON.parse(readText('changes.json'));
  expect(steps).toMatchObject([
    { from: { edition: namedEdition(1) }, to: { edition: namedEdition(3) } },
  ]);
});

describe('an upstream with editions', () => {
  it('requests the edition first, bypassing caches, and then every list and record', async () => {
    const { read, server } = await startScene({
      stateOf: () => stateNumber(2, newer),
    });
    const sent = countRequests();
    expect(await read()).toEqual({ ...second, isCached: false, sent });
    expect(server.log[0]?.path).toMatch(/^\/api\/v2\/meta\/\?uncached=\d+$/);
  });

  it('sends only one request if the edition has not changed', async () => {
    const { read } = await startScene({ stateOf: () => stateNumber(2, newer) });
    await read();
    expect(await read()).toEqual({ ...second, isCached: true, sent: 1 });
  });

  it('requests only the remaining records after an interrupted run', async () => {
    const { read, server } = await startScene({
      stateOf: () => stateNumber(2, newer),
    });
    const stop = new AbortController();
    const interrupted = read({
      concurrency: 1,
      signal: stop.signal,
      onProgress({ done }) {
        if (done === 1) stop.abort();
      },
    });
    await expect(interrupted).rejects.toThrow('aborted');
    const received = server.log.filter(({ status }) => status === 200).length;
    const { sent, ...result } = await read();
    expect(result).toEqual({ ...second, isCached: false });
    expect(sent).toBeLessThan(countRequests() - 1);
    expect(sent).toBeGreaterThanOrEqual(countRequests() - received);
  });

  it('reads the whole upstream again if the cache has another edition', async () => {
    let state = stateNumber(1, older);
    const { read, listJournals } = await startScene({ stateOf: () => state });
    await read();
    state = stateNumber(2, newer);
    expect(await read()).toMatchObject({ ...second, sent: countRequests() });
    // The older journal may belong to a running build.
    expect(listJournals()).toHaveLength(2);
  });

  it.each(range(2, countRequests(older)))(
    'reads the new edition from the start if it is deployed before request %i',
    async (from) => {
      const { read } = await startScene({
        stateOf({ at }) {
          if (at < from) return stateNumber(1, older);
          return stateNumber(2, newer);
        },
      });
      expect(await read({ concurrency: 1 })).toMatchObject(second);
    },
  );

  it('reads the upstream at most three times if the edition changes each time', async () => {
    let deployed = 0;
    const { read } = await startScene({
      stateOf({ path: url }) {
        if (url.includes('/meta/')) deployed++;
        const isRecord = /\/\d+\/(?:\?|$)/.test(url);
        return stateNumber(isRecord ? deployed + 1 : deployed, newer);
      },
    });
    await expect(read()).rejects.toMatchObject({
      message: expect.stringMatching(
        /: got edition "0+4", expected 0+3 \(5 attempts\)$/,
      ),
    });
  });

  it('reads the current edition even if a CDN sends old responses', async () => {
    const random = createRandom(1);
    const { read } = await startScene({
      stateOf({ path: url }) {
        const isOld = !url.includes('uncached=') && random.below(3) === 0;
        return isOld ? stateNumber(1, older) : stateNumber(2, newer);
      },
    });
    expect(await read()).toMatchObject(second);
  });

  it('never mixes two editions, whatever the upstream sends', async () => {
    for (let seed = 1; seed <= 25; seed++) {
      const random = createRandom(seed);
      const { read } = await startScene({
        stateOf(): State {
          return random.pick([stateNumber(1, older), stateNumber(2, newer)]);
        },
      });
      const [outcome] = await Promise.allSettled([read()]);
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ code: 'upstream' });
        continue;
      }
      const { digest, edition } = outcome.value;
      const isFirst = edition?.hash === namedEdition(1).hash;
      expect(digest).toBe(isFirst ? digests.older : digests.newer);
    }
  });

  it('does not cache a response that does not state its edition', async () => {
    const { read } = await startScene({
      stateOf({ path: url }) {
        if (url.includes('/move/1/')) return { data: newer };
        return stateNumber(2, newer);
      },
    });
    expect(await read()).toMatchObject(second);
    expect(await read()).toEqual({ ...second, isCached: false, sent: 2 });
  });

  it.each([500, 404])(
    'finds the edition in the first list if /meta/ responds with %i',
    async (status) => {
      let state = stateNumber(1, older);
      const { read } = await startScene({
        fault: failAt('/meta/', status),
        stateOf: () => state,
      });
      const first = { digest: digests.older, edition: namedEdition(1) };
      expect(await read()).toMatchObject(first);
      state = stateNumber(2, newer);
      expect(await read()).toMatchObject(second);
      expect(await read()).toMatchObject({ ...second, isCached: true });
    },
  );
});

describe('an upstream without editions', () => {
  it('reads the whole upstream in every run', async () => {
    let data = older;
    const { read, listJournals } = await startScene({
      stateOf: () => ({ data }),
      maxAge: 315_360_000,
    });
    expect(await read()).toMatchObject({ digest: digests.older, edition: null });
    expect(listJournals()).toEqual([]);
    data = newer;
    // The first list is requested once more, because it may state the edition.
    const sent = countRequests() + 1;
    const edition = null;
    const digest = digests.newer;
    expect(await read()).toEqual({ digest, edition, isCached: false, sent });
  });

  it('requests only the remaining records after an interrupted run', async () => {
    const { read } = await startScene({ fault: failAt('/item/2/', 400, 1) });
    await expect(read()).rejects.toThrow('got 400');
    // `/meta/`, the first list and the failed record.
    expect(await read()).toMatchObject({ digest: digests.newer, sent: 3 });
  });

  it('ignores the edition in /meta/ if the lists and records state none', async () => {
    const { hash, deployed } = editionNumber(2);
    const meta = JSON.stringify({ hash, deploy_date: String(deployed) });
    const { read } = await startScene({ meta });
    expect(await read()).toMatchObject({ digest: digests.newer, edition: null });
    expect(await read()).toMatchObject({ edition: null, isCached: false });
  });

  it.each(['<html>', 'null', '{"hash":"main","deploy_date":"1786004122"}'])(
    'reads an upstream whose /meta/ contains %s instead of an edition',
    async (meta) => {
      const { read } = await startScene({ meta });
      expect(await read()).toMatchObject({ digest: digests.newer, edition: null });
    },
  );
});

it('fails if the data exceeds the memory limit', async () => {
  const { read, server } = await startScene({
    stateOf: () => stateNumber(2, newer),
  });
  const tooLarge = `${server.url}: has`;
  await expect(read({ maxMemoryBytes: 500 })).rejects.toThrow(tooLarge);
  // What the journal keeps counts as well.
  await read();
  await expect(read({ maxMemoryBytes: 500 })).rejects.toThrow(tooLarge);
});
