import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { DataError } from '../../src/errors.ts';
import type { CacheEntry } from '../../src/http/cache.ts';
import { parseRecord, RAW_VERSION } from '../../src/sources/rest.ts';
import type { Progress } from '../../src/sources/source.ts';
import { decodeDataSet } from '../support/decode.ts';
import { journalLine } from '../support/journal.ts';
import { otherKinds } from '../support/kinds.ts';
import { loadFrom } from '../support/reading.ts';
import { rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  handMadeUpstream,
  moveAnswer,
  plainAnswer,
  tinyUpstream,
  upstreamOf,
} from '../support/upstream-data.ts';
import type { Fault } from '../support/upstream-server.ts';

/**
 * Responds with `body` to requests whose path starts with `path`, and returns the
 * error message.
 */
async function readError(path: string, body: string): Promise<string> {
  const fault: Fault = (request, response) => {
    if (!request.url?.startsWith(path)) return false;
    response.end(body);
    return true;
  };
  const { url } = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
  const [outcome] = await Promise.allSettled([loadFrom('rest', url)]);
  if (outcome.status === 'fulfilled') throw new Error('the upstream was read');
  expect(outcome.reason).toBeInstanceOf(DataError);
  const { message } = outcome.reason;
  return message.replaceAll(url, 'UPSTREAM');
}

describe('parseRecord', () => {
  const named = (entry: object) => ({ names: [entry] });
  const invalidIndex = {
    game_index: '7',
    generation: { url: '/api/v2/generation/1/' },
  };

  it.each<[kind: Kind, fields: Record<string, unknown>, problem: string]>([
    ['move', { id: '2' }, 'id: got "2", expected number'],
    ['move', { names: undefined }, 'names: got nothing, expected array'],
    ['item', { sprites: {} }, 'sprites.default: got nothing, expected a value'],
    ['item', { sprites: undefined }, 'sprites: got nothing, expected a value'],
    [
      'move',
      named({ name: 'x' }),
      'names[0].language: got nothing, expected a value',
    ],
    [
      'move',
      named({ language: { name: 'it' } }),
      'names[0].name: got nothing, expected a value',
    ],
    [
      'item',
      { game_indices: [invalidIndex] },
      'game_indices[0].game_index: got "7", expected number',
    ],
    ['move', { generation: null }, 'generation: got null, expected object'],
  ])('rejects a %s with the invalid fields %j', (kind, fields, problem) => {
    const answer = plainAnswer(kind, 2, fields);
    const message = `${kind} › this › ${problem}`;
    expect(() => parseRecord(kind, answer, 'this', 'Do this.')).toThrow(
      expect.objectContaining({ message, hint: 'Do this.' }),
    );
  });

  it.each([
    'https://x.test/generation/first/',
    'https://x.test/generation/4/more',
    'https://x.test/4/',
  ])('rejects %s as the link to a generation', (url) => {
    const answer = moveAnswer(2, { generation: { url } });
    const problem = `got "${url}", expected a link to a generation`;
    expect(() => parseRecord('move', answer, 'this')).toThrow(
      `move › this › generation.url: ${problem}`,
    );
  });

  it.each<[kind: Kind, fields: Record<string, unknown>, parsed: object]>([
    ['item', { sprites: { default: ['a.png'] } }, { sprite: '["a.png"]' }],
    ['item', { sprites: { default: 7 } }, { sprite: '7' }],
    ['item', { sprites: [] }, { sprite: '[]' }],
    ['item', { sprites: null }, { sprite: 'null' }],
    [
      'move',
      named({ name: 'x', language: null }),
      { englishName: null, names: { '': 'x' } },
    ],
    ['move', named({ name: 'x', language: { name: null } }), { names: { '': 'x' } }],
    ['move', named({ name: null, language: { name: 'it' } }), { names: { it: '' } }],
    [
      'move',
      named({ name: 7, language: { name: 'en' } }),
      { englishName: '', names: {} },
    ],
  ])(
    'replaces an invalid but optional value of a %s: %j',
    (kind, fields, parsed) => {
      const answer = plainAnswer(kind, 2, fields);
      expect(parseRecord(kind, answer, 'this')).toMatchObject(parsed);
    },
  );
});

it('rejects a record whose id differs from the id in the list', async () => {
  const answer = JSON.stringify(moveAnswer(3, { name: 'move-2' }));
  expect(await readError('/api/v2/move/2/', answer)).toBe(
    'move › move-2 (2): got id 3, name "move-2", expected 2, "move-2", as in the list',
  );
});

describe('reading a list', () => {
  function encodeList(count: number, results: unknown): string {
    return JSON.stringify({ count, results });
  }

  it.each<[body: string, problem: string]>([
    ['{"count":0}', 'list › results: got nothing, expected array'],
    ['[]', 'list: got [], expected object'],
    [
      '{"count":2,"next":"?offset=1","results":[]}',
      "list: got 0 results, expected 2 (the list's count)",
    ],
    [
      encodeList(2, [{ name: 'a', url: '1/' }]),
      "list: got 1 results, expected 2 (the list's count)",
    ],
    [
      encodeList(1_000_001, []),
      'list › count: got 1000001, expected number to be <=1000000',
    ],
  ])('rejects the list %s', async (body, problem) => {
    expect(await readError('/api/v2/move/?', body)).toBe(`move › ${problem}`);
  });

  it.each([
    'http://[',
    'http://127.0.0.2/api/v2/move/1/',
    '/api/v2/item/1/',
    '/api/v2/move/01/',
    '/api/v2/move/1x/',
    '/api/v2/move/x1/',
    '/api/v2/move/1/2/',
    '/api/v2/move/',
    '/api/v2/move/10000000000000000/',
  ])('rejects %s as the link to a record', async (url) => {
    const body = encodeList(1, [{ name: 'move-1', url }]);
    const problem = `got "${url}", expected a link to UPSTREAM/move/<id>/`;
    const message = await readError('/api/v2/move/?', body);
    expect(message).toBe(`move › move-1 › url: ${problem}`);
  });

  it('reads a list with more entries than a function can have arguments', async () => {
    const results: object[] = [];
    for (let id = 1; id <= 130_000; id += 1) {
      results.push({ name: 'a', url: `${id}/` });
    }
    // A wrong count ends the build after the list was read, before any record.
    const body = encodeList(130_001, results);
    const message = await readError('/api/v2/move/?', body);
    expect(message).toBe(
      "move › list: got 130000 results, expected 130001 (the list's count)",
    );
  });

  it('follows the `next` links if the upstream limits the page size', async () => {
    const data = upstreamOf(tinyUpstream(5, 5));
    const { url } = await serveUpstream(data);
    const expected = await loadFrom('rest', url);
    /** Returns two moves on each page of the list. */
    const respondInPages: Fault = (request, response) => {
      const requestUrl = new URL(request.url ?? '', 'http://upstream.test');
      if (!requestUrl.pathname.endsWith('/move/')) return false;
      const moves = data.list('move');
      const offset = Number(requestUrl.searchParams.get('offset'));
      const end = offset + 2;
      const results = moves
        .slice(offset, end)
        .map(({ id, name }) => ({ name, url: `/api/v2/move/${id}/` }));
      // The link points to another origin, which must not receive any request.
      const nextUrl = `http://127.0.0.2/other/?offset=${end}&limit=2`;
      const next = end < moves.length ? nextUrl : null;
      response.end(JSON.stringify({ count: moves.length, next, results }));
      return true;
    };
    const server = await serveUpstream(data, { fault: respondInPages });
    const { dataSet } = await loadFrom('rest', server.url);
    expect(dataSet.digest).toBe(expected.dataSet.digest);
    const queries: string[] = [];
    for (const request of server.log) {
      const [pathname = '', query = ''] = request.path.split('?');
      if (pathname.endsWith('/move/')) queries.push(query);
    }
    expect(queries).toEqual([
      'limit=100000&offset=0',
      'offset=2&limit=2',
      'offset=4&limit=2',
    ]);
  });
});

describe('an interrupted fetch', () => {
  /**
   * Reads an upstream, and then changes the cache's journal to the state after a
   * killed run: the entries are still fresh, and the end of the run is missing.
   * Reads the upstream again, and returns the paths and statuses of the requests.
   *
   * @param changeSecondMove replaces fields in the second move's cache entry
   */
  async function interrupt(changeSecondMove: object = {}): Promise<string[]> {
    const data = upstreamOf(tinyUpstream(2, 1));
    const server = await serveUpstream(data, { maxAge: 3600 });
    const cacheFolder = temporaryFolder();
    const first = await loadFrom('rest', server.url, { cacheFolder });
    const [journal = ''] = readdirSync(cacheFolder);
    const file = path.join(cacheFolder, journal);
    const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
    const freshUntil = Date.now() + 3_600_000;
    const entries: CacheEntry[] = [];
    // The last line is the end of the run.
    for (const line of lines.slice(0, -1)) {
      // Each line starts with a checksum, which we skip.
      const entry: CacheEntry = { ...JSON.parse(line.slice(17)), freshUntil };
      const isSecondMove = removeQuery(entry.url).endsWith('/move/2/');
      if (isSecondMove) Object.assign(entry, changeSecondMove);
      entries.push(entry);
    }
    writeFileSync(file, [header, ...entries.map(journalLine)].join('\n'));
    const firstRequests = server.log.length;
    const { dataSet } = await loadFrom('rest', server.url, { cacheFolder });
    expect(decodeDataSet(dataSet)).toEqual(decodeDataSet(first.dataSet));
    const requests = server.log.slice(firstRequests);
    return requests.map(
      (request) => `${removeQuery(request.path)} ${request.status}`,
    );
  }

  function removeQuery(url: string): string {
    return url.replace(/\?.*/, '');
  }

  const lists = kindNames.map((kind) => `/api/v2/${kind}/ 304`);

  it('continues an interrupted fetch by requesting only the lists', async () => {
    expect(await interrupt()).toEqual(lists);
  });

  it.each<[string, change: object]>([
    ['id', { value: { id: 7, slug: 'move-2' } }],
    ['slug', { value: { id: 2, slug: 'other' } }],
    ['value', { value: null }],
  ])('requests a record again if its cached %s is wrong', async (_, change) => {
    const requested = await interrupt(change);
    expect(requested).toEqual([...lists, '/api/v2/move/2/ 200']);
  });
});

it('reports progress after each record', async () => {
  const { url } = await serveUpstream(upstreamOf(tinyUpstream()));
  const progress: string[] = [];
  const onProgress = ({ done, total, requests }: Progress): void => {
    progress.push(`${done} of ${total} after ${requests.requests}`);
  };
  await loadFrom('rest', url, { concurrency: 1, onProgress });
  const lists = kindNames.length;
  const total = 5 + otherKinds.length;
  const expected = ['0 of 0 after 0', `0 of ${total} after ${lists}`];
  for (let done = 1; done <= total; done += 1) {
    // The next request is sent before the previous record is counted.
    const sentRecords = Math.min(done + 1, total);
    expected.push(`${done} of ${total} after ${lists + sentRecords}`);
  }
  expect(progress).toEqual(expected);
});

/** The fingerprint of all raw records, by `RAW_VERSION`. */
const fingerprints: Readonly<Record<number, string>> = { 3: '4d3b1e80952023e4' };

it('requires a new RAW_VERSION when raw records change', () => {
  const records = Object.values(rawOf(handMadeUpstream())).flat();
  const sha256 = createHash('sha256').update(JSON.stringify(records)).digest('hex');
  const fingerprint = sha256.slice(0, 16);
  const hint =
    'increase RAW_VERSION in src/sources/rest.ts, and add its fingerprint here';
  expect(fingerprint, hint).toBe(fingerprints[RAW_VERSION]);
});
