/** Upstreams that are between two of their editions: what is published is one of them, or nothing. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { UpstreamError } from '../../src/errors.ts';
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
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  type Answer,
  itemAnswer,
  moveAnswer,
  someRecorded,
  type UpstreamData,
  upstreamOf,
} from '../support/upstream-data.ts';
import type { UpstreamOptions } from '../support/upstream-server.ts';

const ids = (length: number): number[] => Array.from({ length }, (_, at) => at + 1);

const present = upstreamOf({
  move: ids(40).map((id) => moveAnswer(id, { name: `move-${id}` })),
  item: ids(40).map((id) => itemAnswer(id, { name: `item-${id}` })),
});

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
const total = present.list('move').length + present.list('item').length;

/** Where a build reads from and writes to. */
async function scene(options: UpstreamOptions, data = present) {
  const server = await serveUpstream(data, options);
  const folder = temporaryFolder();
  const settings = {
    source: 'rest',
    maxShrink: 100,
    upstream: server.url,
    baseUrl: 'https://example.test',
    out: path.join(folder, 'site'),
    cache: path.join(folder, 'cache'),
    downloads: false,
    retries: 0,
  } as const;
  const run = (more: BuildOptions = {}) => build({ ...settings, ...more });
  return { server, run, ...settings };
}

const metaOf = (out: string) => JSON.parse(readFileSync(path.join(out, 'meta.json'), 'utf8'));

const digests = { present: digestOf(present), older: digestOf(older) };

describe('an upstream of one edition', () => {
  it('is published as that, and costs one request while it stays', async () => {
    const { run, server, out } = await scene({ stateOf: () => stateNumber(2, present) });
    const first = await run();
    expect(first).toMatchObject({ edition: namedEdition(2), isCached: false });
    expect(server.log).toHaveLength(total + 2);
    expect(metaOf(out).edition).toEqual(namedEdition(2));
    expect(readFileSync(path.join(out, 'index.html'), 'utf8')).toContain('edition 00000000 of 2026-04-02');
    const before = fingerprint(out);
    const again = await run();
    expect(again).toMatchObject({
      changed: false,
      isCached: true,
      requests: { requests: 1, cacheHits: total + 2 },
    });
    expect(server.log.slice(total + 2).map(({ path: url }) => url)).toEqual(['/api/v2/meta/']);
    expect(fingerprint(out)).toEqual(before);
  });

  it('is asked for what the cache has lost', async () => {
    const { run, server, cache } = await scene({ stateOf: () => stateNumber(2, present) });
    await run();
    const journal = path.join(cache, `${readdirSync(cache)[0]}`);
    const lines = readFileSync(journal, 'utf8').split('\n');
    const damage = (line: string) => `${line.slice(0, 40)}x`;
    writeFileSync(journal, [...lines.slice(0, -2), ...lines.slice(-2).map(damage)].join('\n'));
    const sent = server.log.length;
    expect(await run()).toMatchObject({ isCached: false, edition: namedEdition(2) });
    const statuses = server.log.slice(sent).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 304)).toHaveLength(total + 1);
    expect(await run()).toMatchObject({ isCached: true });
  });

  it('stands in the history: a step names the editions that it lies between', async () => {
    let state = stateNumber(1, older);
    const { run, out } = await scene({ stateOf: () => state });
    await run();
    state = stateNumber(2, present);
    await run({ maxShrink: 10 });
    const { steps } = JSON.parse(readFileSync(path.join(out, 'changes.json'), 'utf8'));
    expect(steps).toMatchObject([{ from: { edition: namedEdition(1) }, to: { edition: namedEdition(2) } }]);
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('is asked again when there is a new one, and stays as it was first seen if nothing of ours has changed', async () => {
    let state = stateNumber(2, present);
    const { run, server, out } = await scene({ stateOf: () => state });
    await run();
    state = stateNumber(3, present);
    const before = fingerprint(out);
    const sent = server.log.length;
    expect(await run()).toMatchObject({ changed: false, isCached: false, edition: namedEdition(2) });
    expect(server.log.slice(sent + 1).map(({ status }) => status)).toEqual(Array(total + 2).fill(304));
    expect(fingerprint(out)).toEqual(before);
    expect(await run()).toMatchObject({ isCached: true });
  });
});

describe('a CDN that still holds answers of an older edition', () => {
  it.each([
    { k: 2, data: present },
    { k: 7, data: someRecorded() },
  ])('is passed by for one in $k answers, and only for those', async ({ k, data }) => {
    const isHeld = everyNth(k, 1);
    const old = olderStateOf(data);
    const held = new Set<string>();
    const stateOf = heldBack(stateNumber(2, data), stateNumber(1, old), (url) => {
      const isOld = isHeld(url);
      if (isOld) held.add(url);
      return isOld;
    });
    const { run, server, out } = await scene({ stateOf }, data);
    const report = await run();
    expect(report).toMatchObject({ digest: digestOf(data), edition: namedEdition(2) });
    expect(verifyFolder(out).problems).toEqual([]);
    const twice = server.log.filter(({ path: url }) => url.includes(`edition=${editionNumber(2).hash}`));
    // A record of the older list alone is asked for, but not again.
    const stale = [...held].filter((url) => !url.includes('999999'));
    const fresh = twice.filter(({ path: url }) => held.has(withoutEdition(url)));
    expect(fresh.map(({ path: url }) => withoutEdition(url)).sort()).toEqual(stale.sort());
  });

  it('may hold the lists', async () => {
    for (const kind of ['move', 'item']) {
      const stateOf = heldBack(stateNumber(2, present), stateNumber(1, older), (url) =>
        url.includes(`${kind}/?`),
      );
      const { run } = await scene({ stateOf });
      expect(await run()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
    }
  });

  it('may confirm what the cache has of the older one', async () => {
    let stateOf: NonNullable<UpstreamOptions['stateOf']> = () => stateNumber(1, older);
    const { run } = await scene({ stateOf: (request) => stateOf(request) });
    await run();
    stateOf = heldBack(stateNumber(2, present), stateNumber(1, older), everyNth(5));
    expect(await run()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
  });

  it('that holds every address is refused, and what is published stays', async () => {
    let stateOf: NonNullable<UpstreamOptions['stateOf']> = () => stateNumber(1, older);
    const { run, out } = await scene({ stateOf: (request) => stateOf(request) });
    await run();
    const before = fingerprint(out);
    const isHeld = everyNth(7);
    stateOf = ({ path: url }) =>
      !url.endsWith('/meta/') && isHeld(withoutEdition(url))
        ? stateNumber(1, older)
        : stateNumber(2, present);
    const error = await run().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(String(error)).toMatch(
      /got answers of several editions: \d+ of edition 00000000 of 2026-04-02, \d+ of edition 00000000 of 2026-04-01: expected one$/,
    );
    expect(error).toMatchObject({ hint: expect.stringContaining('within a day') });
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('a deploy in the middle of a fetch', () => {
  it.each([2, 4, 50, total + 2])('before request %i is followed', async (from) => {
    const stateOf = deployedAt([1, stateNumber(1, older)], [from, stateNumber(2, present)]);
    const { run, out } = await scene({ stateOf });
    const report = await run();
    expect(report).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
    expect(verifyFolder(out).problems).toEqual([]);
  });

  it('does not make a record that is gone an error', async () => {
    const before = upstreamOf({ move: [moveAnswer(1), moveAnswer(2)], item: [itemAnswer(1)] });
    const after = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });
    const stateOf = deployedAt([1, stateNumber(1, before)], [4, stateNumber(2, after)]);
    const { run } = await scene({ stateOf }, before);
    expect(await run({ concurrency: 1 })).toMatchObject({ counts: { move: 1 }, edition: namedEdition(2) });
  });
});

describe('a fetch that was broken off', () => {
  it('goes on the next day with what is of the new edition', async () => {
    let state = stateNumber(1, older);
    let broken = true;
    const { run, server } = await scene({
      stateOf: () => state,
      maxAge: 86_400,
      fault: (_, response, at) => broken && at > 60 && Boolean(response.writeHead(500).end()),
    });
    await expect(run({ concurrency: 1 })).rejects.toThrow('got 500');
    broken = false;
    state = stateNumber(2, present);
    expect(await run()).toMatchObject({ digest: digests.present, edition: namedEdition(2) });
    expect(server.log.filter(({ path: url }) => url.includes('edition=')).length).toBeGreaterThan(30);
  });
});

describe('an upstream without editions', () => {
  it('is revalidated by every run, whatever max-age says', async () => {
    let data = older;
    const { run } = await scene({ stateOf: () => ({ data }), maxAge: 315_360_000 });
    expect(await run()).toMatchObject({ digest: digests.older, edition: null });
    data = present;
    expect(await run()).toMatchObject({ digest: digests.present, edition: null, isCached: false });
  });
});

describe('what an upstream says of its edition', () => {
  const small = upstreamOf({ move: [moveAnswer(1)], item: [itemAnswer(1)] });

  it('is ignored with a warning if it makes no sense', async () => {
    const meta = '{"deploy_date":"1786004122","hash":"main"}';
    const { run, server } = await scene({ stateOf: () => stateNumber(1, small), meta }, small);
    await run();
    const report = await run();
    expect(report.notices).toEqual([
      expect.stringMatching(
        /^GET http:.*\/api\/v2\/meta\/: got .*: expected hash and deploy_date of an edition; ignored, every record was asked for$/,
      ),
    ]);
    expect(report).toMatchObject({ isCached: false, edition: namedEdition(1) });
    expect(server.log).toHaveLength(4 + 1 + 4);
  });

  it('may be newer than every answer: they are published as what they are, and asked for again', async () => {
    const next = editionNumber(2);
    const meta = JSON.stringify({ hash: next.hash, deploy_date: String(next.deployed) });
    const { run, server } = await scene({ stateOf: () => stateNumber(1, small), meta }, small);
    await run();
    expect(await run()).toMatchObject({ edition: namedEdition(1), isCached: false });
    expect(await run()).toMatchObject({ edition: namedEdition(1), isCached: false });
    expect(server.log).toHaveLength(4 + 5 + 5);
  });

  it.each([
    ['comes and goes', undefined],
    ['is absurd', { ...editionNumber(1), deployed: 7 }],
  ])('counts as none for an answer where it %s', async (_, edition) => {
    const stateOf: UpstreamOptions['stateOf'] = ({ path: url }) =>
      url.includes('/move/1/') ? { data: small, edition } : stateNumber(1, small);
    const { run } = await scene({ stateOf }, small);
    expect(await run()).toMatchObject({ edition: null });
    expect(await run()).toMatchObject({ edition: null, isCached: false, requests: { requests: 4 } });
  });
});

describe('whatever mixture of two editions is served', () => {
  const stateOfSeed = (names: readonly number[], seed: string) =>
    upstreamOf({
      move: names.map((id) => moveAnswer(id, { name: `move-${id}${id % 2 ? '' : seed}` })),
      item: ids(3).map((id) => itemAnswer(id, { name: `item-${id}${seed}` })),
    });

  it('a build is one of them exactly, or refused', async () => {
    const names = fc.subarray(ids(6), { minLength: 1 });
    const answer = fc.record({
      isOlder: fc.boolean(),
      isOlderAgain: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        names,
        names,
        fc.array(answer, { minLength: 1, maxLength: 20 }),
        async (before, after, answers) => {
          const states = [stateOfSeed(before, 'a'), stateOfSeed(after, 'b')] as const;
          const seen = new Map<string, number>();
          const stateOf: UpstreamOptions['stateOf'] = ({ path: url }) => {
            const plain = withoutEdition(url);
            if (!seen.has(plain)) seen.set(plain, seen.size);
            const played = answers[(seen.get(plain) ?? 0) % answers.length];
            const isOlder = plain === url ? played?.isOlder : played?.isOlder && played.isOlderAgain;
            return isOlder ? stateNumber(1, states[0]) : stateNumber(2, states[1]);
          };
          const { run, server } = await scene({ stateOf }, states[1]);
          const report = await run({ cache: false }).catch((error: unknown) => error);
          await server.close();
          if (report instanceof UpstreamError) return;
          const expected = await Promise.all(states.map(digestOf));
          expect(expected).toContain((report as { digest: string }).digest);
        },
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});
