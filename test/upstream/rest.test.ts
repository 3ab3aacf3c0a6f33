import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { parseRecord, RAW_VERSION } from '../../src/upstream/rest.ts';
import type { Progress } from '../../src/upstream/source.ts';
import { stateNumber, withoutBypass } from '../support/editions.ts';
import { everyKind, otherKinds } from '../support/kinds.ts';
import { loadFrom } from '../support/reading.ts';
import { rawOf } from '../support/sites.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  english,
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
  expect(outcome.reason).toMatchObject({ code: 'upstream' });
  const message = outcome.reason.message.replaceAll(url, 'UPSTREAM');
  expect(message).toMatch(/ \(5 attempts\)$/);
  // The request and the number of attempts are the same in every case.
  return message.replace(/^.*?GET \S+: | \(5 attempts\)$/g, '');
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
    ['item', { sprites: {} }, 'sprites.default: got nothing, expected string'],
    ['item', { sprites: { default: 7 } }, 'sprites.default: got 7, expected string'],
    [
      'move',
      named({ name: 'x' }),
      'names[0].language: got nothing, expected object',
    ],
    ['move', { names: Array(1001).fill(english('x')[0]) }, 'names: got ['],
    [
      'item',
      { game_indices: [invalidIndex] },
      'game_indices[0].game_index: got "7", expected number',
    ],
  ])('rejects a %s with the invalid fields %j', (kind, fields, problem) => {
    const answer = plainAnswer(kind, 2, fields);
    const message = `${kind} › this › ${problem}`;
    expect(() => parseRecord(kind, answer, 'this')).toThrow(message);
  });

  it.each(['https://x.test/generation/first/', 'https://x.test/4/'])(
    'rejects %s as the link to a generation',
    (url) => {
      const answer = moveAnswer(2, { generation: { url } });
      const problem = `got "${url}", expected a link to a generation`;
      expect(() => parseRecord('move', answer, 'this')).toThrow(
        `move › this › generation.url: ${problem}`,
      );
    },
  );

  it('uses the first name in each language', () => {
    const names = [...english('One'), ...english('Two')];
    const answer = moveAnswer(2, { names });
    expect(parseRecord('move', answer, 'this')).toMatchObject({
      englishName: 'One',
      names: { fr: 'le One' },
    });
  });
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
    '/api/v2/move/10000000000000000/',
  ])('rejects %s as the link to a record', async (url) => {
    const body = encodeList(1, [{ name: 'move-1', url }]);
    const problem = `got "${url}", expected a link to UPSTREAM/move/<id>/`;
    const message = await readError('/api/v2/move/?', body);
    expect(message).toBe(`move › move-1 › url: ${problem}`);
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
    // The first request finds out the edition.
    expect(queries.slice(1)).toEqual([
      'limit=100000&offset=0',
      'offset=2&limit=2',
      'offset=4&limit=2',
    ]);
  });
});

it('rejects a list that repeats an entry', async () => {
  const results = ['1/', '2/', '1/'].map((url) => ({ name: `move-${url[0]}`, url }));
  const fault: Fault = (request, response) => {
    if (!request.url?.startsWith('/api/v2/move/?')) return false;
    response.end(JSON.stringify({ count: 3, results }));
    return true;
  };
  const { url } = await serveUpstream(upstreamOf(tinyUpstream()), { fault });
  await expect(loadFrom('rest', url)).rejects.toThrow(
    'move › id: got 1 for "move-1" and "move-1", expected unique ids',
  );
});

describe('records that fail', () => {
  /** Reads an upstream of 60 moves with faulty responses for some of them. */
  async function read(
    statuses: Readonly<Record<number, number>>,
    change: (moves: ReturnType<typeof tinyUpstream>['move']) => void = () => {},
    skip: number[] = [],
  ) {
    const answers = tinyUpstream(60, 1);
    change(answers.move);
    const data = upstreamOf(answers);
    const fault: Fault = ({ url = '' }, response) => {
      const [, id] = /\/move\/(\d+)\//.exec(withoutBypass(url)) ?? [];
      const status = statuses[Number(id)];
      if (status === undefined) return false;
      if (status === 0) response.socket?.resetAndDestroy();
      else response.writeHead(status).end('{}');
      return true;
    };
    const stateOf = () => stateNumber(1, data);
    const server = await serveUpstream(data, { fault, stateOf });
    const skipped = everyKind({ move: skip }, () => []);
    const [outcome] = await Promise.allSettled([
      loadFrom('rest', server.url, { skip: skipped }),
    ]);
    if (outcome.status === 'fulfilled') throw new Error('the upstream was read');
    const { code, message, hint } = outcome.reason;
    return { code, hint, message: message.replaceAll(server.url, 'UPSTREAM') };
  }

  it('reports all failing records in one error, and suggests one --skip option for them', async () => {
    const error = await read(
      { 3: 404, 50: 400, 7: 200 },
      (moves) => Object.assign(moves[8] ?? {}, { name: 'a/b' }),
      [60],
    );
    expect(error).toEqual({
      code: 'upstream',
      message: [
        '4 records cannot be used:',
        '  move/3: GET UPSTREAM/move/3/: got 404, expected 200 (5 attempts)',
        '  move/7: GET UPSTREAM/move/7/: move › move-7 (7) › id: got nothing, expected number (5 attempts)',
        '  move/9: move › a/b (9) › slug: got "a/b", expected a safe slug: lower-case letters, digits and inner hyphens',
        '  move/50: GET UPSTREAM/move/50/: got 400, expected 200',
      ].join('\n'),
      hint: 'To build without these records, add --skip move/60 move/3 move/7 move/9 move/50',
    });
  });

  it('reports the error in a single line if only one record fails', async () => {
    expect(await read({ 3: 404 })).toEqual({
      code: 'upstream',
      message: 'move/3: GET UPSTREAM/move/3/: got 404, expected 200 (5 attempts)',
      hint: 'To build without this record, add --skip move/3',
    });
  });

  it('reports a data error if normalization rejects every record that fails', async () => {
    const error = await read({}, (moves) => {
      for (const move of moves.slice(0, 35)) Object.assign(move, { name: 'a/b' });
    });
    expect(error.code).toBe('data');
    expect(error.message.split('\n')).toHaveLength(36);
  });

  it('stops reading after 50 records have failed', async () => {
    const statuses = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [at + 1, 400]),
    );
    const { message, hint } = await read(statuses);
    expect(message).toMatch(
      /^50 records cannot be used, and reading ended there:\n {2}move\/1: /,
    );
    expect(hint.split(' move/')).toHaveLength(51);
  });

  it('stops reading at once if a connection fails in every attempt', async () => {
    const { message, hint } = await read({ 3: 404, 20: 0 });
    expect(message).toMatch(/^GET UPSTREAM\/move\/20\/: .* \(5 attempts\)$/);
    expect(hint).toBeUndefined();
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
  // `/meta/` and the first list were requested to find the edition.
  const expected = ['0 of 0 after 2', `0 of ${total} after ${lists + 2}`];
  for (let done = 1; done <= total; done += 1) {
    // The next request is sent before the previous record is counted.
    const sentRecords = Math.min(done + 1, total);
    expected.push(`${done} of ${total} after ${lists + 2 + sentRecords}`);
  }
  expect(progress).toEqual(expected);
});

/** The fingerprint of all raw records, by `RAW_VERSION`. */
const fingerprints: Readonly<Record<number, string>> = { 4: '4d3b1e80952023e4' };

it('requires a new RAW_VERSION if the raw records change', () => {
  const records = Object.values(rawOf(handMadeUpstream())).flat();
  const sha256 = createHash('sha256').update(JSON.stringify(records)).digest('hex');
  const fingerprint = sha256.slice(0, 16);
  const hint =
    'increase RAW_VERSION in src/upstream/rest.ts, and add its fingerprint here';
  expect(fingerprint, hint).toBe(fingerprints[RAW_VERSION]);
});

it('suggests --source csv if the upstream responds with 403', async () => {
  const server = await serveUpstream(upstreamOf({}), {
    fault: (_, response) => Boolean(response.writeHead(403).end()),
  });
  await expect(loadFrom('rest', server.url)).rejects.toMatchObject({
    code: 'upstream',
    hint: expect.stringContaining('--source csv'),
  });
});
