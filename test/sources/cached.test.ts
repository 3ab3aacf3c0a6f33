import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import type { CacheEntry } from '../../src/http/cache.ts';
import { RAW_VERSION } from '../../src/sources/rest.ts';
import type { Progress } from '../../src/sources/source.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { journalLine } from '../support/journal.ts';
import { otherKinds } from '../support/kinds.ts';
import { rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  handMadeUpstream,
  itemAnswer,
  moveAnswer,
  range,
  tinyUpstream,
  upstreamOf,
} from '../support/upstream-data.ts';

type Entry = CacheEntry & { value: Record<string, unknown> };
/** Changes entries, by what their URLs end with. */
type Change = (of: (end: string) => Entry) => void;

/** A move and an item that only their kind tells apart, and a second move. */
const data = upstreamOf({
  move: [moveAnswer(1, { name: 'same' }), moveAnswer(2)],
  item: [itemAnswer(1, { name: 'same' })],
});

/** Of an upstream that has fewer records than the bundled data set. */
const restBuild = (upstream: string) =>
  ({ source: 'rest', upstream, maxShrink: 100, baseUrl: 'https://example.test', cache: false }) as const;

/** An upstream whose responses stay fresh, a build of it, and the journal as a fetch that was broken off leaves it. */
async function scene() {
  const server = await serveUpstream(data, { maxAge: 3600 });
  const parent = temporaryFolder();
  const [cache, out] = [path.join(parent, 'cache'), path.join(parent, 'site')];
  const options = { ...restBuild(server.url), cache, out };
  await build(options);
  const before = fingerprint(out);
  return {
    /** Each line gets the checksum that is right for it. */
    interrupt(change: Change = () => {}) {
      const file = path.join(cache, `${readdirSync(cache)[0]}`);
      const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
      const entries = lines.slice(0, -1).map((line) => JSON.parse(line.slice(17)) as Entry);
      const find = (end: string) => entries.find(({ url }) => url.split('?')[0]?.endsWith(end));
      change((end) => find(end) ?? expect.unreachable(`${end} is not in the journal`));
      writeFileSync(file, [header, ...entries.map(journalLine)].join('\n'));
    },
    /** The paths that a build asks for, and the statuses of the responses. */
    async asked() {
      const from = server.log.length;
      await build(options);
      expect(fingerprint(out)).toEqual(before);
      return server.log.slice(from).map(({ path: url, status }) => `${url.split('?')[0]} ${status}`);
    },
  };
}

const move = '/api/v2/move/';
const lists = kindNames.map((kind) => `/api/v2/${kind}/ 304`);

describe('what a fetch that was broken off has stored', () => {
  it('is not asked for again, except for the lists', async () => {
    const { interrupt, asked } = await scene();
    interrupt();
    expect(await asked()).toEqual(lists);
  });

  it.each<[string, Change, string]>([
    ['another id', (of) => Object.assign(of('/move/2/').value, { id: 7 }), `${move}2/`],
    ['another slug', (of) => Object.assign(of('/move/2/').value, { slug: 'other' }), `${move}2/`],
    ['no record', (of) => Object.assign(of('/move/2/'), { value: null }), `${move}2/`],
  ])('is asked for again where a record is %s', async (_, change, url) => {
    const { interrupt, asked } = await scene();
    interrupt(change);
    expect(await asked()).toEqual([...lists, `${url} 200`]);
  });
});

it('progress is told from none to all', async () => {
  const server = await serveUpstream(upstreamOf(tinyUpstream()));
  const out = path.join(temporaryFolder(), 'site');
  const progress: string[] = [];
  const onProgress = ({ done, total, requests }: Progress) =>
    void progress.push(`${done} of ${total} after ${requests.requests}`);
  await build({ ...restBuild(server.url), concurrency: 1, out, onProgress });
  // The next request is on its way when a record is done.
  const total = 5 + otherKinds.length;
  const after = (done: number) => `${done} of ${total} after ${lists.length + Math.min(done + 1, total)}`;
  expect(progress).toEqual([
    '0 of 0 after 0',
    `0 of ${total} after ${lists.length}`,
    ...range(1, total).map(after),
  ]);
});

/** `RAW_VERSION` → what the cache contains in that version: the reduction of every odd record. */
const fingerprints: Readonly<Record<number, string>> = {
  // With names in other languages.
  3: 'd635dbfa9bb9ee0c',
};

it('the cache has a new version whenever the reduced records change', () => {
  const reduced = Object.values(rawOf(handMadeUpstream())).flat();
  const fingerprint = createHash('sha256').update(JSON.stringify(reduced)).digest('hex').slice(0, 16);
  const hint = 'increase RAW_VERSION in src/sources/rest.ts, and add its fingerprint here';
  expect(fingerprint, hint).toBe(fingerprints[RAW_VERSION]);
});
