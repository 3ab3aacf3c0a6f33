/** Upstreams that are between two of their editions: what is published is one of them, or nothing. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { SourceContext } from '../../src/sources/source.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { digestOf } from '../support/data-set-versions.ts';
import {
  deployedAt,
  editionNumber,
  everyNth,
  heldBack,
  namedEdition,
  stateNumber,
  withoutEdition,
} from '../support/editions.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { loadFrom } from '../support/reading.ts';
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
import type { UpstreamOptions } from '../support/upstream-server.ts';

const range = (length: number) => Array.from({ length }, (_, at) => at + 1);

const present = upstreamOf(tinyUpstream(12, 12));

/** An older state of an upstream: each record has another name, some have another slug, one is missing and one more is there. */
function olderStateOf(data: UpstreamData): UpstreamData {
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

const older = olderStateOf(present);
/** A list of each kind, and the records. */
const total = kindNames.flatMap((kind) => [kind, ...present.list(kind)]).length;

/** An upstream, and ways to read it and to build a site of it. */
async function scene(options: UpstreamOptions, data = present) {
  const server = await serveUpstream(data, options);
  const folder = temporaryFolder();
  const out = path.join(folder, 'site');
  const cache = path.join(folder, 'cache');
  const read = async (more: Partial<SourceContext> = {}) => {
    const { dataSet, ...about } = await loadFrom('rest', server.url, { cacheFolder: cache, ...more });
    return { ...about, digest: dataSet.digest, edition: dataSet.provenance.edition };
  };
  const common = { source: 'rest', upstream: server.url, retries: 0, maxShrink: 100 } as const;
  const publish = (more: BuildOptions = {}) =>
    build({ ...common, baseUrl: 'https://example.test', downloads: false, out, cache, ...more });
  return { server, read, publish, out, cache };
}

const digests = { present: digestOf(present), older: digestOf(older) };

describe('an upstream of one edition', () => {
  it('is published as that, stays as it was first seen, and is named by the steps of the history', async () => {
    let state = stateNumber(1, older);
    const { publish, server, out } = await scene({ stateOf: () => state });
    expect(await publish()).toMatchObject({ edition: namedEdition(1), isCached: false });
    const sent = server.log.length;
    const before = fingerprint(out);
    const same = { changed: false, isCached: true, requests: { requests: 1, cacheHits: sent } };
    expect(await publish()).toMatchObject(same);
    state = stateNumber(2, older);
    expect(await publish()).toMatchObject({ changed: false, isCached: false, edition: namedEdition(1) });
    expect(fingerprint(out)).toEqual(before);
    state = stateNumber(3, present);
    await publish({ maxShrink: 10 });
    const jsonOf = (file: string) => JSON.parse(readFileSync(path.join(out, file), 'utf8'));
    expect(jsonOf('meta.json').edition).toEqual(namedEdition(3));
    expect(readFileSync(path.join(out, 'index.html'), 'utf8')).toContain('edition 00000000 of 2026-04-03');
    expect(jsonOf('changes.json').steps).toMatchObject([
      { from: { edition: namedEdition(1) }, to: { edition: namedEdition(3) } },
    ]);
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('costs one request while it stays, and conditional ones when there is another', async () => {
    let state = stateNumber(2, present);
    const { read, server } = await scene({ stateOf: () => state });
    const first = await read();
    expect(first).toMatchObject({ digest: digests.present, edition: namedEdition(2), isCached: false });
    expect(server.log).toHaveLength(total);
    expect(await read()).toMatchObject({ digest: digests.present, isCached: true });
    expect(server.log.slice(total).map(({ path: url }) => url)).toEqual(['/api/v2/meta/']);
    state = stateNumber(3, present);
    expect(await read()).toMatchObject({ edition: namedEdition(3), isCached: false });
    expect(server.log.slice(total + 2).map(({ status }) => status)).toEqual(Array(total).fill(304));
    expect(await read()).toMatchObject({ edition: namedEdition(3), isCached: true });
  });

  it('is asked for what the cache has lost', async () => {
    const { read, server, cache } = await scene({ stateOf: () => stateNumber(2, present) });
    await read();
    const journal = path.join(cache, `${readdirSync(cache)[0]}`);
    const lines = readFileSync(journal, 'utf8').split('\n');
    const damage = (line: string) => `${line.slice(0, 40)}x`;
    writeFileSync(journal, [...lines.slice(0, -2), ...lines.slice(-2).map(damage)].join('\n'));
    const sent = server.log.length;
    expect(await read()).toMatchObject({ isCached: false, edition: namedEdition(2) });
    const statuses = server.log.slice(sent).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...kindNames.map(() => 304)]);
    expect(await read()).toMatchObject({ isCached: true });
  });

  it('fails for a list that is gone, whatever edition says so', async () => {
    const { hash, deployed } = editionNumber(2);
    const named = { 'x-pokeapi-hash': hash, 'x-pokeapi-deploy-date': deployed };
    const { read } = await scene({
      stateOf: () => stateNumber(2, present),
      fault: ({ url }, response) => Boolean(url?.includes('/item/?') && response.writeHead(404, named).end()),
    });
    await expect(read()).rejects.toThrow('got 404');
  });
});

describe('a CDN that still holds answers of an older edition', () => {
  const sizes = [
    { size: 'small', data: present, k: 2 },
    { size: 'small', data: present, k: 7 },
  ];
  it.each(sizes)(
    'is passed by for one in $k answers of the $size upstream, and only for those',
    async (it) => {
      const isHeld = everyNth(it.k, 1);
      const held = new Set<string>();
      const stateOf = heldBack(stateNumber(2, it.data), stateNumber(1, olderStateOf(it.data)), (url) => {
        const isOld = isHeld(url);
        if (isOld) held.add(url);
        return isOld;
      });
      const { read, server } = await scene({ stateOf });
      expect(await read()).toMatchObject({ digest: digestOf(it.data), edition: namedEdition(2) });
      const twice = server.log.filter(({ path: url }) => url.includes('edition='));
      // A record of the older list alone is asked for, but not again.
      const stale = [...held].filter((url) => !url.includes('999999'));
      const fresh = twice.filter(({ path: url }) => held.has(withoutEdition(url)));
      expect(fresh.map(({ path: url }) => withoutEdition(url)).sort()).toEqual(stale.sort());
    },
  );

  it('may confirm what the cache has of the older one', async () => {
    let stateOf: NonNullable<UpstreamOptions['stateOf']> = () => stateNumber(1, older);
    const { read, server } = await scene({ stateOf: (request) => stateOf(request) });
    await read();
    stateOf = heldBack(stateNumber(2, present), stateNumber(1, older), everyNth(5));
    expect(await read()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
    const again = server.log.filter(({ path: url }) => url.includes('edition='));
    expect(again.length).toBeGreaterThan(0);
    expect(again.filter(({ headers }) => headers['if-none-match'])).toEqual([]);
  });

  it('that holds every address is refused, and what is published stays', async () => {
    let stateOf: NonNullable<UpstreamOptions['stateOf']> = () => stateNumber(1, older);
    const { publish, out } = await scene({ stateOf: (request) => stateOf(request) });
    await publish();
    const before = fingerprint(out);
    const isHeld = everyNth(7);
    stateOf = ({ path: url }) =>
      !url.endsWith('/meta/') && isHeld(withoutEdition(url))
        ? stateNumber(1, older)
        : stateNumber(2, present);
    const error = await publish().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(String(error)).toMatch(
      /got responses of several editions: \d+ of edition 00000000 of 2026-04-02, \d+ of edition 00000000 of 2026-04-01, expected one$/,
    );
    expect(error).toMatchObject({ hint: expect.stringContaining('within a day') });
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('a deploy in the middle of a fetch', () => {
  it.each([2, 4, 12, total])('before request %i is followed', async (from) => {
    const stateOf = deployedAt([1, stateNumber(1, older)], [from, stateNumber(2, present)]);
    const { read } = await scene({ stateOf });
    expect(await read()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
  });

  it('does not make a record that is gone an error', async () => {
    const before = upstreamOf({ move: [moveAnswer(1), moveAnswer(2)], item: [itemAnswer(1)] });
    const after = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });
    const stateOf = deployedAt([1, stateNumber(1, before)], [4, stateNumber(2, after)]);
    const { read } = await scene({ stateOf }, before);
    expect(await read({ concurrency: 1 })).toMatchObject({
      digest: digestOf(after),
      edition: namedEdition(2),
    });
  });
});

describe('a fetch that was broken off', () => {
  it('goes on the next day with what is of the new edition', async () => {
    let state = stateNumber(1, older);
    let broken = true;
    const { read, server } = await scene({
      stateOf: () => state,
      maxAge: 86_400,
      fault: (_, response, at) => broken && at > 12 && Boolean(response.writeHead(500).end()),
    });
    await expect(read({ concurrency: 1 })).rejects.toThrow('got 500');
    broken = false;
    state = stateNumber(2, present);
    expect(await read()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
    expect(server.log.filter(({ path: url }) => url.includes('edition=')).length).toBeGreaterThan(5);
  });
});

describe('an upstream without editions', () => {
  it('is revalidated by every run, whatever max-age says', async () => {
    let data = older;
    const { read } = await scene({ stateOf: () => ({ data }), maxAge: 315_360_000 });
    expect(await read()).toMatchObject({ digest: digests.older, edition: null });
    data = present;
    expect(await read()).toMatchObject({ digest: digests.present, edition: null, isCached: false });
  });
});

describe('what an upstream says of its edition', () => {
  const small = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });
  const all = 2 * kindNames.length;

  it.each([
    ['{"deploy_date":"1786004122","hash":"main"}', '{"deploy_date":"1786004122","hash":"main"}'],
    ['<html>', '"<html>"'],
    ['null', '"null"'],
    ['7', '7'],
    ['{"hash":"x"}', '{"hash":"x"}'],
    ['{"deploy_date":"1786004122"}', '{"deploy_date":"1786004122"}'],
  ])('is ignored with a warning if it makes no sense: %s', async (meta, shown) => {
    const { read, server } = await scene({ stateOf: () => stateNumber(1, small), meta }, small);
    await read();
    const notice = `GET ${server.url}/meta/: got ${shown}, expected hash and deploy_date of an edition; ignored, every record was requested`;
    expect(await read()).toMatchObject({ notices: [notice], isCached: false, edition: namedEdition(1) });
    expect(server.log).toHaveLength(all + 1 + all);
  });

  it('may be newer than every answer: they are published as what they are, and asked for again', async () => {
    const next = editionNumber(2);
    const meta = JSON.stringify({ hash: next.hash, deploy_date: String(next.deployed) });
    const { read, server } = await scene({ stateOf: () => stateNumber(1, small), meta }, small);
    await read();
    expect(await read()).toMatchObject({ edition: namedEdition(1), isCached: false });
    expect(await read()).toMatchObject({ edition: namedEdition(1), isCached: false });
    expect(server.log).toHaveLength(all + 2 * (1 + all));
  });

  it.each([
    ['comes and goes', undefined],
    ['is absurd', { ...editionNumber(1), deployed: 7 }],
  ])('counts as none for an answer where it %s', async (_, edition) => {
    const stateOf: UpstreamOptions['stateOf'] = ({ path: url }) =>
      url.includes('/move/1/') ? { data: small, edition } : stateNumber(1, small);
    const { read } = await scene({ stateOf }, small);
    expect(await read()).toMatchObject({ edition: null });
    expect(await read()).toMatchObject({ edition: null, isCached: false, requests: { requests: all } });
  });
});

type Played = { isOlder: boolean; isOlderAgain: boolean };

describe('whatever mixture of two editions is served', () => {
  const stateOfSeed = (names: readonly number[], seed: string) =>
    upstreamOf({
      move: names.map((id) => moveAnswer(id, { name: `move-${id}${id % 2 ? '' : seed}` })),
      item: range(3).map((id) => itemAnswer(id, { name: `item-${id}${seed}` })),
    });

  it('a build is one of them exactly, or refused', async () => {
    const ids = fc.subarray(range(6), { minLength: 1 });
    const answer = fc.record({ isOlder: fc.boolean(), isOlderAgain: fc.boolean() });
    const mixed = async (before: number[], after: number[], answers: Played[]) => {
      const states = [stateOfSeed(before, 'a'), stateOfSeed(after, 'b')] as const;
      const seen = new Map<string, number>();
      const stateOf: UpstreamOptions['stateOf'] = ({ path: url }) => {
        const plain = withoutEdition(url);
        if (!seen.has(plain)) seen.set(plain, seen.size);
        const played = answers[(seen.get(plain) ?? 0) % answers.length];
        const isOlder = plain === url ? played?.isOlder : played?.isOlder && played.isOlderAgain;
        return isOlder ? stateNumber(1, states[0]) : stateNumber(2, states[1]);
      };
      const { read, server } = await scene({ stateOf }, states[1]);
      const report = await read({ cacheFolder: undefined }).catch((error: unknown) => error);
      await server.close();
      if (report instanceof UpstreamError) return;
      expect(states.map(digestOf)).toContain((report as { digest: string }).digest);
    };
    const all = fc.array(answer, { minLength: 1, maxLength: 20 });
    await fc.assert(fc.asyncProperty(ids, ids, all, mixed), { numRuns: 40 });
  });
});
