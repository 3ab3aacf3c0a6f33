import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { DataError, UpstreamError } from '../../src/errors.ts';
import type { CacheEntry } from '../../src/http/cache.ts';
import { parseRecord, RAW_VERSION } from '../../src/sources/rest.ts';
import type { Progress } from '../../src/sources/source.ts';
import { decodeDataSet } from '../support/decode.ts';
import { journalLine } from '../support/journal.ts';
import { otherKinds } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  handMadeUpstream,
  moveAnswer,
  plainAnswer,
  range,
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
  const error: unknown = await loadFrom('rest', url).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DataError);
  return (error as DataError).message.replaceAll(url, 'UPSTREAM');
}

describe('parseRecord', () => {
  const generation = (url: string) => ({ generation: { url } });
  const named = (entry: object) => ({ names: [entry] });
  const otherPaths = ['generation/first/', 'generation/4/more', '4/'];
  const otherLinks = otherPaths.map((path) => `https://x.test/${path}`);
  const invalidIndex = { game_index: '7', ...generation('/api/v2/generation/1/') };

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
    ...otherLinks.map((url): [Kind, Record<string, unknown>, string] => [
      ...(['move', generation(url)] as const),
      `generation.url: got "${url}", expected a link to a generation`,
    ]),
  ])('rejects a %s with the invalid fields %j', (kind, fields, problem) => {
    const message = `${kind} › this › ${problem}`;
    expect(() =>
      parseRecord(kind, plainAnswer(kind, 2, fields), 'this', 'Do this.'),
    ).toThrow(expect.objectContaining({ message, hint: 'Do this.' }));
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
      expect(parseRecord(kind, plainAnswer(kind, 2, fields), 'this')).toMatchObject(
        parsed,
      );
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
  const encodeList = (count: number, results: unknown): string =>
    JSON.stringify({ count, results });
  const otherLinks = [
    'item/1/',
    ...['01/', '1x/', 'x1/', '1/2/', '', '10000000000000000/'].map(
      (id) => `move/${id}`,
    ),
  ];

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
    ...[
      'http://[',
      'http://127.0.0.2/api/v2/move/1/',
      ...otherLinks.map((link) => `/api/v2/${link}`),
    ].map((url): [string, string] => [
      encodeList(1, [{ name: 'move-1', url }]),
      `move-1 › url: got "${url}", expected a link to UPSTREAM/move/<id>/`,
    ]),
  ])('rejects the list %s', async (body, problem) => {
    expect(await readError('/api/v2/move/?', body)).toBe(`move › ${problem}`);
  });

  it('accepts a list with more entries than a function can have arguments', async () => {
    const results = Array.from({ length: 130_000 }, (_, at) => ({
      name: 'a',
      url: `${at + 1}/`,
    }));
    const lists: Record<string, string> = {
      move: encodeList(results.length, results),
    };
    const { url } = await startServer((response, request) => {
      const [, kind = ''] = /\/(\w+)\/\?limit=/.exec(request.url ?? '') ?? [];
      response
        .writeHead(kind === '' ? 404 : 200)
        .end(lists[kind] ?? encodeList(0, []));
    });
    await expect(loadFrom('rest', url)).rejects.toThrow(UpstreamError);
  });

  it('follows the `next` links if the upstream limits the page size', async () => {
    const data = upstreamOf(tinyUpstream(5, 5));
    const { url } = await serveUpstream(data);
    const expected = await loadFrom('rest', url);
    /** Returns two moves on each page of the list. */
    const fault: Fault = (request, response) => {
      const { pathname, searchParams } = new URL(
        request.url ?? '',
        'http://upstream.test',
      );
      if (!pathname.endsWith('/move/')) return false;
      const moves = data.list('move');
      const links = moves.map(({ id, name }) => ({
        name,
        url: `/api/v2/move/${id}/`,
      }));
      const offset = Number(searchParams.get('offset'));
      const end = offset + 2;
      // The link points to another origin, which must not receive any request.
      const next =
        end < links.length ? `http://127.0.0.2/other/?offset=${end}&limit=2` : null;
      const results = links.slice(offset, end);
      response.end(JSON.stringify({ count: links.length, next, results }));
      return true;
    };
    const server = await serveUpstream(data, { fault });
    const { dataSet } = await loadFrom('rest', server.url);
    expect(dataSet.digest).toBe(expected.dataSet.digest);
    const paths = server.log.map((request) => request.path);
    const lists = paths.filter((path) => path.includes('/move/?'));
    expect(lists.map((path) => path.split('?')[1])).toEqual([
      'limit=100000&offset=0',
      'offset=2&limit=2',
      'offset=4&limit=2',
    ]);
  });
});

describe('an interrupted fetch', () => {
  type Entry = CacheEntry & { value: Record<string, unknown> };

  /**
   * Reads an upstream, and then changes the journal of the cache to the state after
   * a killed run: the entries are still fresh, and the end of the run is missing.
   */
  async function interrupt(
    change: (find: (end: string) => Entry) => void = () => {},
  ) {
    const server = await serveUpstream(upstreamOf(tinyUpstream(2, 1)), {
      maxAge: 3600,
    });
    const cacheFolder = temporaryFolder();
    const first = await loadFrom('rest', server.url, { cacheFolder });
    const file = path.join(cacheFolder, `${readdirSync(cacheFolder)[0]}`);
    const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
    const freshUntil = Date.now() + 3_600_000;
    const entryLines = lines.slice(0, -1);
    // Each line starts with a checksum, which we skip.
    const entries = entryLines.map(
      (line): Entry => ({ ...JSON.parse(line.slice(17)), freshUntil }),
    );
    change((end) => {
      const entry = entries.find(({ url }) => removeQuery(url).endsWith(end));
      return entry ?? expect.unreachable(`${end} is not in the journal`);
    });
    writeFileSync(file, [header, ...entries.map(journalLine)].join('\n'));
    const firstRequests = server.log.length;
    const { dataSet } = await loadFrom('rest', server.url, { cacheFolder });
    expect(decodeDataSet(dataSet)).toEqual(decodeDataSet(first.dataSet));
    const requests = server.log.slice(firstRequests);
    return requests.map(
      (request) => `${removeQuery(request.path)} ${request.status}`,
    );
  }
  const removeQuery = (url: string): string => url.replace(/\?.*/, '');
  const lists = kindNames.map((kind) => `/api/v2/${kind}/ 304`);

  it('continues an interrupted fetch by requesting only the lists', async () => {
    expect(await interrupt()).toEqual(lists);
  });

  it.each<[string, change: object]>([
    ['id', { value: { id: 7, slug: 'move-2' } }],
    ['slug', { value: { id: 2, slug: 'other' } }],
    ['value', { value: null }],
  ])('requests a record again if its cached %s is wrong', async (_, change) => {
    const requested = await interrupt((find) =>
      Object.assign(find('/move/2/'), change),
    );
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
  const after = (done: number): string => {
    // The next request is sent before the previous record is counted.
    const records = Math.min(done + 1, total);
    return `${done} of ${total} after ${lists + records}`;
  };
  expect(progress).toEqual([
    '0 of 0 after 0',
    `0 of ${total} after ${lists}`,
    ...range(1, total).map(after),
  ]);
});

/** The fingerprint of all raw records, by `RAW_VERSION`. */
const fingerprints: Readonly<Record<number, string>> = { 3: '4d3b1e80952023e4' };

it('requires a new RAW_VERSION when raw records change', () => {
  const raw = Object.values(rawOf(handMadeUpstream())).flat();
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(raw))
    .digest('hex')
    .slice(0, 16);
  const hint =
    'increase RAW_VERSION in src/sources/rest.ts, and add its fingerprint here';
  expect(fingerprint, hint).toBe(fingerprints[RAW_VERSION]);
});
