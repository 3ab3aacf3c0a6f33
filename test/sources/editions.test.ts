import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { Edition } from '../../src/contract/meta.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { Fetcher, LoadOptions } from '../../src/http/fetcher.ts';
import { checkCachedEdition, readOneEdition } from '../../src/sources/one-edition.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { encodeDataSet } from '../support/decode.ts';
import { editionNumber, namedEdition, stateNumber, withoutEdition } from '../support/editions.ts';
import { loadFrom } from '../support/reading.ts';
import { dataSetOf, rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  type Answer,
  itemAnswer,
  moveAnswer,
  tinyUpstream,
  type UpstreamData,
  upstreamOf,
} from '../support/upstream-data.ts';
import type { State, UpstreamOptions } from '../support/upstream-server.ts';

const current = upstreamOf(tinyUpstream(12, 12));

/** Returns an older state with other names and slugs, without the last move, and with an item that was removed since. */
function createOlderState(data: UpstreamData): UpstreamData {
  const removed = data.list('move').at(-1)?.id;
  return {
    name: data.name,
    list: (kind) => [
      ...data
        .list(kind)
        .filter(({ id }) => kind === 'item' || id !== removed)
        .map(({ id, name }) => ({ id, name: id % 10 === 0 ? `${name}-old` : name })),
      ...(kind === 'item' ? [{ id: 999_999, name: 'gone' }] : []),
    ],
    record(kind, id) {
      if (kind === 'item' && id === 999_999) return JSON.stringify(itemAnswer(id, { name: 'gone' }));
      const text = kind === 'move' && id === removed ? undefined : data.record(kind, id);
      if (text === undefined) return undefined;
      const answer = JSON.parse(text) as Answer & { names: { language: { name: string }; name: string }[] };
      for (const entry of answer.names) entry.name = `Old ${entry.name}`;
      return JSON.stringify({ ...answer, name: id % 10 === 0 ? `${answer.name}-old` : answer.name });
    },
  };
}

const older = createOlderState(current);
const allRequests = kindNames.flatMap((kind) => [kind, ...current.list(kind)]).length;

/** Serves an upstream and returns a function that reads it with a cache. */
async function scene(options: UpstreamOptions, data = current) {
  const server = await serveUpstream(data, options);
  const cacheFolder = temporaryFolder();
  const read = async (more: Partial<SourceContext> = {}) => {
    const { dataSet, ...about } = await loadFrom('rest', server.url, { cacheFolder, ...more });
    return { ...about, digest: dataSet.digest, edition: dataSet.provenance.edition };
  };
  const listBypassing = () => server.log.filter(({ path: url }) => url.includes('edition='));
  return { server, read, listBypassing };
}

const digestOf = (upstream: UpstreamData): string => encodeDataSet(dataSetOf(rawOf(upstream))).digest;
const digests = { current: digestOf(current), older: digestOf(older) };
type StateOf = NonNullable<UpstreamOptions['stateOf']>;

/** Serves the older state for some URLs, unless a request bypasses caches. */
const heldBack =
  (current: State, older: State, isHeld: (path: string) => boolean): StateOf =>
  ({ path }) =>
    withoutEdition(path) === path && !path.endsWith('/meta/') && isHeld(path) ? older : current;

function everyNth(k: number, rest = 0): (path: string) => boolean {
  const seen = new Map<string, number>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, seen.size);
    return (seen.get(path) ?? 0) % k === rest;
  };
}

/** Deploys each state before the request with its number. */
const deployedAt =
  (...states: readonly (readonly [from: number, state: State])[]): StateOf =>
  ({ at }) => {
    const state = states.findLast(([from]) => at >= from)?.[1];
    if (!state) throw new Error('the first state starts at 1');
    return state;
  };

describe('the REST source', () => {
  it('names the editions of a site and of each step in its history', async () => {
    let state = stateNumber(1, older);
    const { server } = await scene({ stateOf: () => state });
    const out = path.join(temporaryFolder(), 'site');
    const options = { source: 'rest', upstream: server.url, cache: false, maxShrink: 100, out } as const;
    const publish = () => build({ ...options, baseUrl: 'https://example.test', downloads: false });
    await publish();
    state = stateNumber(3, current);
    await publish();
    const readJson = (file: string) => JSON.parse(readFileSync(path.join(out, file), 'utf8'));
    expect(readJson('meta.json').edition).toEqual(namedEdition(3));
    expect(readFileSync(path.join(out, 'index.html'), 'utf8')).toContain('edition 00000000 from 2026-04-03');
    expect(readJson('changes.json').steps).toMatchObject([
      { from: { edition: namedEdition(1) }, to: { edition: namedEdition(3) } },
    ]);
  });

  it('sends one request if the edition is cached, and conditional requests otherwise', async () => {
    let state = stateNumber(2, current);
    const { read, server } = await scene({ stateOf: () => state });
    const first = await read();
    expect(first).toMatchObject({ digest: digests.current, edition: namedEdition(2), isCached: false });
    expect(server.log).toHaveLength(allRequests);
    expect(await read()).toMatchObject({ digest: digests.current, isCached: true });
    expect(server.log.slice(allRequests).map(({ path: url }) => url)).toEqual(['/api/v2/meta/']);
    state = stateNumber(3, current);
    expect(await read()).toMatchObject({ edition: namedEdition(3), isCached: false });
    const statuses = server.log.slice(allRequests + 2).map(({ status }) => status);
    expect(statuses).toEqual(Array(allRequests).fill(304));
    expect(await read()).toMatchObject({ edition: namedEdition(3), isCached: true });
  });

  it('fails if a list is missing from the edition', async () => {
    const { hash, deployed } = editionNumber(2);
    const named = { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': deployed };
    const { read } = await scene({
      stateOf: () => stateNumber(2, current),
      fault: ({ url }, response) => Boolean(url?.includes('/item/?') && response.writeHead(404, named).end()),
    });
    await expect(read()).rejects.toThrow('got 404');
  });

  it('continues an interrupted fetch of an older edition', async () => {
    let [state, isBroken] = [stateNumber(1, older), true];
    const { read, listBypassing } = await scene({
      ...{ stateOf: () => state, maxAge: 86_400 },
      fault: (_, response, at) => isBroken && at > 12 && Boolean(response.writeHead(500).end()),
    });
    await expect(read({ concurrency: 1 })).rejects.toThrow('got 500');
    [state, isBroken] = [stateNumber(2, current), false];
    expect(await read()).toMatchObject({ digest: digests.current, edition: namedEdition(2) });
    expect(listBypassing().length).toBeGreaterThan(5);
  });
});

describe('the REST source behind a CDN with older responses', () => {
  it('bypasses the CDN only for older responses', async () => {
    const isHeld = everyNth(2, 1);
    const held = new Set<string>();
    const stateOf = heldBack(stateNumber(2, current), stateNumber(1, older), (url) => {
      if (isHeld(url)) held.add(url);
      return isHeld(url);
    });
    const { read, listBypassing } = await scene({ stateOf });
    expect(await read()).toMatchObject({ digest: digests.current, edition: namedEdition(2) });
    // A record that only the older list has is not requested again.
    const stale = [...held].filter((url) => !url.includes('999999'));
    const bypassing = listBypassing().map(({ path: url }) => withoutEdition(url));
    expect(bypassing.filter((url) => held.has(url)).sort()).toEqual(stale.sort());
  });

  it('sends no validators past the CDN, even if the CDN confirms cached responses', async () => {
    let stateOf: StateOf = () => stateNumber(1, older);
    const { read, listBypassing } = await scene({ stateOf: (request) => stateOf(request) });
    await read();
    stateOf = heldBack(stateNumber(2, current), stateNumber(1, older), everyNth(5));
    expect(await read()).toMatchObject({ digest: digests.current, edition: namedEdition(2) });
    expect(listBypassing().length).toBeGreaterThan(0);
    expect(listBypassing().filter(({ headers }) => headers['if-none-match'])).toEqual([]);
  });

  it('fails if the CDN has older responses at every URL', async () => {
    const isHeld = everyNth(7);
    const stateOf: StateOf = ({ path: url }) => stateNumber(isHeld(withoutEdition(url)) ? 1 : 2, current);
    const { read } = await scene({ stateOf });
    await expect(read()).rejects.toMatchObject({
      problem: expect.stringMatching(
        /^got responses from several editions: \d+ of edition 00000000 from 2026-04-02, \d+ of edition 00000000 from 2026-04-01, expected one$/,
      ),
      hint: expect.stringContaining('within a day'),
    });
  });
});

describe('the REST source during a deployment', () => {
  it.each([2, 12, allRequests])('follows the new edition from request %i on', async (from) => {
    const stateOf = deployedAt([1, stateNumber(1, older)], [from, stateNumber(2, current)]);
    const { read } = await scene({ stateOf });
    expect(await read()).toMatchObject({ digest: digests.current, edition: namedEdition(2) });
  });

  it('accepts that a listed record is removed', async () => {
    const before = upstreamOf({ move: [moveAnswer(1), moveAnswer(2)], item: [itemAnswer(1)] });
    const after = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });
    const stateOf = deployedAt([1, stateNumber(1, before)], [4, stateNumber(2, after)]);
    const { read } = await scene({ stateOf }, before);
    const expected = { digest: digestOf(after), edition: namedEdition(2) };
    expect(await read({ concurrency: 1 })).toMatchObject(expected);
  });
});

it('revalidates on every run if the upstream has no editions', async () => {
  let data = older;
  const { read } = await scene({ stateOf: () => ({ data }), maxAge: 315_360_000 });
  expect(await read()).toMatchObject({ digest: digests.older, edition: null });
  data = current;
  expect(await read()).toMatchObject({ digest: digests.current, edition: null, isCached: false });
});

it.each([
  ['missing', undefined],
  ['invalid', { ...editionNumber(1), deployed: 7 }],
])("requests everything if a response's edition is %s", async (_, edition) => {
  const small = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });
  const stateOf: StateOf = ({ path: url }) =>
    url.includes('/move/1/') ? { data: small, edition } : stateNumber(1, small);
  const { read } = await scene({ stateOf }, small);
  expect(await read()).toMatchObject({ edition: null });
  const requests = { requests: 2 * kindNames.length };
  expect(await read()).toMatchObject({ edition: null, isCached: false, requests });
});

describe('checkCachedEdition', () => {
  /** Checks the response of `/meta/` against edition 1. */
  function check(respond: () => string, lastEdition: Edition | null = namedEdition(1)) {
    const request = vi.fn(async (_url: string) => Buffer.from(respond()));
    const fetcher = { request, lastEdition } as unknown as Fetcher;
    return { request, outcome: checkCachedEdition(fetcher, 'https://upstream.test') };
  }

  it.each([
    [1, true],
    [2, false],
  ])('compares the cached edition with edition %i', async (number, isCurrent) => {
    const { hash, deployed } = editionNumber(number);
    const { outcome, request } = check(() => JSON.stringify({ hash, deploy_date: String(deployed) }));
    expect(await outcome).toEqual({ isCurrent, notices: [] });
    expect(request.mock.calls).toEqual([['https://upstream.test/meta/']]);
  });

  it('sends no request without a cached edition', async () => {
    const { outcome, request } = check(() => '{}', null);
    expect(await outcome).toEqual({ isCurrent: false, notices: [] });
    expect(request).not.toHaveBeenCalled();
  });

  it.each([
    ['{"deploy_date":"1786004122","hash":"main"}', '{"deploy_date":"1786004122","hash":"main"}'],
    ['<html>', '"<html>"'],
    ['null', '"null"'],
    ['{"hash":"x"}', '{"hash":"x"}'],
    ['{"deploy_date":"1786004122"}', '{"deploy_date":"1786004122"}'],
  ])('ignores an invalid response and returns a notice: %s', async (meta, shown) => {
    const notice = `GET https://upstream.test/meta/: got ${shown}, expected hash and deploy_date of an edition; ignored, every record was requested`;
    expect(await check(() => meta).outcome).toEqual({ isCurrent: false, notices: [notice] });
  });

  it('fails only if the upstream cannot be reached', async () => {
    const fail = (error: Error) =>
      check(() => {
        throw error;
      }).outcome;
    const createError = (status: number | undefined, unreachable: boolean) =>
      new UpstreamError('failed', { method: 'GET', url: '', attempts: 1, status, unreachable });
    for (const error of [createError(404, false), createError(502, true)])
      expect(await fail(error)).toEqual({ isCurrent: false, notices: [] });
    await expect(fail(createError(undefined, true))).rejects.toThrow('failed');
    await expect(fail(new TypeError('bug'))).rejects.toThrow('bug');
  });
});

describe('readOneEdition', () => {
  const UPSTREAM = 'https://upstream.test/api';
  const urls = ['a', 'b', 'c?x=1'].map((name) => `${UPSTREAM}/${name}`);
  const codec = { decode: String, revive: (cached: unknown) => cached as string };

  const createError = (status: number, edition?: Edition): UpstreamError =>
    new UpstreamError('failed', {
      ...{ method: 'GET', url: UPSTREAM, status, edition, attempts: 1, unreachable: false },
    });

  /** Reads all URLs. `play` returns the number of an edition, 0 for none, or an error. */
  async function readAll(play: (url: string, at: number) => number | Error) {
    const requested: string[] = [];
    const fetcher = {
      async load(url: string, _: unknown, { urlOverride = url }: LoadOptions<unknown>) {
        const played = play(urlOverride, requested.push(urlOverride));
        if (played instanceof Error) throw played;
        return { value: `${url} ${played}`, edition: played > 0 ? namedEdition(played) : null };
      },
    } as unknown as Fetcher;
    const result = readOneEdition({ fetcher, upstream: UPSTREAM }, (read) =>
      Promise.all(urls.map((url) => read(url, codec, { revalidate: true }))),
    );
    return { requested, outcome: await result.catch((error: unknown) => error) };
  }

  it('follows a newer edition at most twice', async () => {
    const playUpTo = (last: number) => readAll((_, at) => Math.min(last, at));
    // The first pass has three editions, each other pass two.
    expect((await playUpTo(7)).outcome).toMatchObject({ edition: namedEdition(7) });
    const { outcome, requested } = await playUpTo(99);
    expect(outcome).toMatchObject({ problem: expect.stringContaining('several editions') });
    expect(requested.filter((url) => url.includes('edition=')).length).toBeGreaterThanOrEqual(6);
  });

  it.each([
    ['a 404 from the only edition', createError(404, namedEdition(2))],
    ['a 410 from the only edition', createError(410, namedEdition(2))],
    ['a 404 without an edition', createError(404)],
    ['any other status', createError(500, namedEdition(2))],
    ['a bug', new TypeError('bug')],
  ])('fails for %s', async (_, error) => {
    const { outcome, requested } = await readAll((url) => (url === urls[1] ? error : 2));
    expect(outcome).toBe(error);
    expect(requested).toEqual(urls);
  });

  it('returns responses from one edition or fails', async () => {
    const edition = fc.integer({ min: 0, max: 3 });
    const played = fc.array(edition, { minLength: 1, maxLength: 15 });
    const property = fc.asyncProperty(played, async (numbers) => {
      const { outcome } = await readAll((_, at) => numbers[at % numbers.length] ?? 0);
      if (outcome instanceof UpstreamError) return;
      const { value } = outcome as { value: string[] };
      const editions = new Set(value.map((text) => text.split(' ')[1]));
      editions.delete('0');
      expect(editions.size).toBeLessThan(2);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
