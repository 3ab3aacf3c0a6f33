import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { Edition } from '../../src/contract/meta.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { Fetcher, LoadOptions } from '../../src/http/fetcher.ts';
import {
  checkCachedEdition,
  readOneEdition,
} from '../../src/sources/one-edition.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { encodeDataSet } from '../support/decode.ts';
import { editionNumber, namedEdition, stateNumber } from '../support/editions.ts';
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
import type { UpstreamOptions } from '../support/upstream-server.ts';

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

/** Returns the number of requests for all lists and records. */
function countRequests(data = newer): number {
  let requests = 0;
  for (const kind of kindNames) requests += 1 + data.list(kind).length;
  return requests;
}

/** Serves an upstream. The returned `read` function reads it with a cache. */
async function startScene(upstreamOptions: UpstreamOptions) {
  const server = await serveUpstream(newer, upstreamOptions);
  const cacheFolder = temporaryFolder();
  async function read(options: Partial<SourceContext> = {}) {
    const result = await loadFrom('rest', server.url, { cacheFolder, ...options });
    const { dataSet, isCached, requests } = result;
    return {
      digest: dataSet.digest,
      edition: dataSet.provenance.edition,
      isCached,
      requests,
    };
  }
  return { server, read };
}

function digestOf(upstream: UpstreamData): string {
  const dataSet = dataSetOf(rawOf(upstream));
  return encodeDataSet(dataSet).digest;
}

const digests = { newer: digestOf(newer), older: digestOf(older) };

describe('the REST source', () => {
  it('records the editions for a site and for each step in its history', async () => {
    let state = stateNumber(1, older);
    const { server } = await startScene({ stateOf: () => state });
    const out = path.join(temporaryFolder(), 'site');
    const options = {
      source: 'rest',
      upstream: server.url,
      baseUrl: 'https://example.test',
      out,
      cache: false,
      maxShrink: 100,
      downloads: false,
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

  it('requests every list and record if nothing is cached', async () => {
    const { read, server } = await startScene({
      stateOf: () => stateNumber(2, newer),
    });
    const expected = {
      digest: digests.newer,
      edition: namedEdition(2),
      isCached: false,
    };
    expect(await read()).toMatchObject(expected);
    expect(server.log).toHaveLength(countRequests());
  });

  it('sends one request if the current edition is cached', async () => {
    const { read, server } = await startScene({
      stateOf: () => stateNumber(2, newer),
    });
    await read();
    expect(await read()).toMatchObject({ digest: digests.newer, isCached: true });
    const requests = server.log.slice(countRequests());
    expect(requests.map((request) => request.path)).toEqual(['/api/v2/meta/']);
  });

  it('revalidates all responses if another edition is cached', async () => {
    let state = stateNumber(2, newer);
    const { read, server } = await startScene({ stateOf: () => state });
    await read();
    state = stateNumber(3, newer);
    expect(await read()).toMatchObject({
      edition: namedEdition(3),
      isCached: false,
    });
    // We skip the first request, which asks for the current edition.
    const requests = server.log.slice(countRequests() + 1);
    const statuses = requests.map(({ status }) => status);
    expect(statuses).toEqual(Array(countRequests()).fill(304));
    expect(await read()).toMatchObject({ edition: namedEdition(3), isCached: true });
  });

  it.each(range(2, countRequests(older)))(
    'returns the new edition if it is deployed before request %i',
    async (from) => {
      const { read } = await startScene({
        stateOf({ at }) {
          if (at < from) return stateNumber(1, older);
          return stateNumber(2, newer);
        },
      });
      const expected = { digest: digests.newer, edition: namedEdition(2) };
      expect(await read({ concurrency: 1 })).toMatchObject(expected);
    },
  );

  it('fails if the current edition does not have a list', async () => {
    const { hash, deployed } = editionNumber(2);
    const headers = { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': deployed };
    const { read } = await startScene({
      stateOf: () => stateNumber(2, newer),
      fault(request, response) {
        if (!request.url?.includes('/item/?')) return false;
        response.writeHead(404, headers).end();
        return true;
      },
    });
    await expect(read()).rejects.toThrow('got 404');
  });

  it('revalidates all responses in every run if the upstream states no edition', async () => {
    let data = older;
    const { read } = await startScene({
      stateOf: () => ({ data }),
      maxAge: 315_360_000,
    });
    expect(await read()).toMatchObject({ digest: digests.older, edition: null });
    data = newer;
    expect(await read()).toMatchObject({
      digest: digests.newer,
      edition: null,
      isCached: false,
    });
  });

  it('requests everything again if a response does not state its edition', async () => {
    const { read } = await startScene({
      stateOf({ path: url }) {
        if (url.includes('/move/1/')) return { data: newer };
        return stateNumber(1, newer);
      },
    });
    expect(await read()).toMatchObject({ edition: null });
    expect(await read()).toMatchObject({
      edition: null,
      isCached: false,
      requests: { requests: countRequests() },
    });
  });
});

describe('checkCachedEdition', () => {
  /** Compares a response from `/meta/` with edition 1, which is cached. */
  function check(
    respond: () => string,
    lastEdition: Edition | null = namedEdition(1),
  ) {
    const request = vi.fn(async (_url: string) => Buffer.from(respond()));
    const fetcher = { request, lastEdition } as unknown as Fetcher;
    const outcome = checkCachedEdition(fetcher, 'https://upstream.test');
    return { request, outcome };
  }

  it.each([
    [1, true],
    [2, false],
  ])('compares the cached edition with edition %i', async (number, isCurrent) => {
    const { hash, deployed } = editionNumber(number);
    const meta = JSON.stringify({ hash, deploy_date: String(deployed) });
    const { outcome, request } = check(() => meta);
    expect(await outcome).toEqual({ isCurrent, notices: [] });
    expect(request.mock.calls).toEqual([['https://upstream.test/meta/']]);
  });

  it('does not ask for the current edition if no edition is cached', async () => {
    const { outcome, request } = check(() => '{}', null);
    expect(await outcome).toEqual({ isCurrent: false, notices: [] });
    expect(request).not.toHaveBeenCalled();
  });

  async function expectNotice(meta: string, shownText: string): Promise<void> {
    const notice = `GET https://upstream.test/meta/: got ${shownText}, expected hash and deploy_date of an edition; ignored, every record was requested`;
    const { outcome } = check(() => meta);
    expect(await outcome).toEqual({ isCurrent: false, notices: [notice] });
  }

  it.each([
    '{"deploy_date":"1786004122","hash":"main"}',
    '{"hash":"x"}',
    '{"deploy_date":"1786004122"}',
  ])('reports a response of /meta/ that states no edition: %s', async (meta) => {
    await expectNotice(meta, meta);
  });

  it.each(['<html>', 'null'])(
    'reports a response of /meta/ that is not a JSON object: %s',
    async (meta) => {
      await expectNotice(meta, `"${meta}"`);
    },
  );

  function checkAfter(error: Error) {
    const { outcome } = check(() => {
      throw error;
    });
    return outcome;
  }

  function createError(
    status: number | undefined,
    unreachable: boolean,
  ): UpstreamError {
    return new UpstreamError('failed', {
      method: 'GET',
      url: '',
      attempts: 1,
      status,
      unreachable,
    });
  }

  it.each([
    ['the upstream responds with 404', createError(404, false)],
    ['a gateway responds with 502', createError(502, true)],
  ])('treats the cache as outdated if %s', async (_, error) => {
    expect(await checkAfter(error)).toEqual({ isCurrent: false, notices: [] });
  });

  it.each([
    ['the upstream cannot be reached', createError(undefined, true)],
    ['the error is a bug', new TypeError('bug')],
  ])('rethrows the error if %s', async (_, error) => {
    await expect(checkAfter(error)).rejects.toBe(error);
  });
});

describe('readOneEdition', () => {
  const UPSTREAM = 'https://upstream.test/api';
  const urls = ['a', 'b', 'c?x=1'].map((name) => `${UPSTREAM}/${name}`);
  const codec = { decode: String, revive: (cached: unknown) => cached as string };

  function createError(status: number, edition?: Edition): UpstreamError {
    return new UpstreamError('failed', {
      method: 'GET',
      url: UPSTREAM,
      status,
      edition,
      attempts: 1,
      unreachable: false,
    });
  }

  /**
   * Reads all URLs. `respond` returns the number of an edition (0 for none), or an
   * error. It also receives the request's number, starting at 1. Returns the
   * requested URLs, and the result or the error.
   */
  async function readAll(respond: (url: string, at: number) => number | Error) {
    const requested: string[] = [];
    async function load(url: string, _: unknown, options: LoadOptions<unknown>) {
      // Only the original URL may have a cached response to revalidate.
      const { urlOverride = url, revalidate } = options;
      expect(revalidate).toBe(urlOverride === url);
      requested.push(urlOverride);
      const response = respond(urlOverride, requested.length);
      if (response instanceof Error) throw response;
      const edition = response > 0 ? namedEdition(response) : null;
      return { value: `${url} ${response}`, edition };
    }
    const fetcher = { load } as unknown as Fetcher;
    const reading = readOneEdition({ fetcher, upstream: UPSTREAM }, (read) => {
      const values = urls.map((url) => read(url, codec, { revalidate: true }));
      return Promise.all(values);
    });
    const outcome = await reading.catch((error: unknown) => error);
    return { requested, outcome };
  }

  it('requests each older response again, bypassing caches', async () => {
    const { outcome, requested } = await readAll((url) =>
      url === urls[0] || url === urls[2] ? 1 : 2,
    );
    const { hash } = namedEdition(2);
    const bypassing = [`${urls[0]}?edition=${hash}`, `${urls[2]}&edition=${hash}`];
    expect(requested).toEqual([...urls, ...bypassing]);
    expect(outcome).toMatchObject({ edition: namedEdition(2) });
  });

  it.each([404, 410])(
    'requests a record again after a %i response of an older edition',
    async (status) => {
      const missing = createError(status, namedEdition(1));
      const { outcome, requested } = await readAll((url) =>
        url === urls[1] ? missing : 2,
      );
      const bypassing = `${urls[1]}?edition=${namedEdition(2).hash}`;
      expect(requested).toEqual([...urls, bypassing]);
      expect(outcome).toMatchObject({ edition: namedEdition(2) });
    },
  );

  it('switches to a new edition in each of the first three passes', async () => {
    // Each request gets a newer edition. The first pass sends three requests, and
    // each later pass sends two.
    const { outcome } = await readAll((_, at) => Math.min(7, at));
    expect(outcome).toMatchObject({ edition: namedEdition(7) });
  });

  it('fails if the edition changes during every pass', async () => {
    const { outcome } = await readAll((_, at) => at);
    expect(outcome).toMatchObject({
      problem: expect.stringContaining('several editions'),
    });
  });

  it('lists the editions from the newest to the oldest if a URL keeps returning an older one', async () => {
    const { outcome, requested } = await readAll((url) =>
      url.includes('/api/a') ? 1 : 2,
    );
    expect(requested).toHaveLength(4);
    expect(outcome).toMatchObject({
      problem:
        'got responses from several editions: 2 of edition 00000000 from 2026-04-02, 1 of edition 00000000 from 2026-04-01, expected one',
      hint: expect.stringContaining('within a day'),
    });
  });

  it.each([
    ['a 404 from the only edition', createError(404, namedEdition(2))],
    ['a 410 from the only edition', createError(410, namedEdition(2))],
    ['a 404 without an edition', createError(404)],
    ['any other status', createError(500, namedEdition(2))],
    ['a bug', new TypeError('bug')],
  ])('fails for %s', async (_, error) => {
    const { outcome, requested } = await readAll((url) =>
      url === urls[1] ? error : 2,
    );
    expect(outcome).toBe(error);
    expect(requested).toEqual(urls);
  });

  it('returns responses from one edition only, whatever the upstream sends', async () => {
    const edition = fc.integer({ min: 0, max: 3 });
    const responses = fc.array(edition, { minLength: 1, maxLength: 15 });
    const property = fc.asyncProperty(responses, async (numbers) => {
      const { outcome } = await readAll(
        (_, at) => numbers[at % numbers.length] ?? 0,
      );
      if (outcome instanceof UpstreamError) return;
      const { value: texts } = outcome as { value: string[] };
      const editions = new Set<string | undefined>();
      for (const text of texts) editions.add(text.split(' ')[1]);
      // A response that states no edition may belong to any edition.
      editions.delete('0');
      expect(editions.size).toBeLessThan(2);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
