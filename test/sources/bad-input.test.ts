/** What is wrong with single fields and lists; what any answer can do wrong is in the table of faults (test/support/faults.ts). */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { GamedataError } from '../../src/errors.ts';
import { everyKind } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, itemAnswer, moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import type { Fault } from '../support/upstream-server.ts';

type Answers = ReturnType<typeof tinyUpstream>;

/** Answers one address in another way, once there is something to spoil. */
const at =
  (path: string, status: number, body: string): Fault =>
  ({ url }, response) =>
    url?.startsWith(path) === true && Boolean(response.writeHead(status).end(body));

const list = (count: number, results: unknown): string => JSON.stringify({ count, results });
const links = (...urls: string[]) => urls.map((url, at) => ({ name: `move-${at + 1}`, url }));

/** How an upstream fails that is served with a fault, or whose data is spoilt. */
async function failureOf({ fault, spoil }: { fault?: Fault; spoil?: Change }): Promise<string> {
  const answers = tinyUpstream();
  spoil?.(answers);
  const server = await serveUpstream(upstreamOf(answers), fault ? { fault } : {});
  const error: unknown = await loadFrom('rest', server.url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GamedataError);
  return (error as GamedataError).message.replaceAll(server.url, 'UPSTREAM');
}

type Change = (answers: Answers) => unknown;
const change =
  (kind: 'move' | 'item', overrides: Record<string, unknown>): Change =>
  (answers) =>
    Object.assign(answers[kind][1] as Answer, overrides);

describe('a record that is not as it has to be', () => {
  const generation = (url: unknown) => ({ generation: { url } });
  const notLink = (url: string): [Change, string] => [
    change('move', generation(url)),
    `move › move-2 (2) › generation.url: got "${url}": expected a link to a generation`,
  ];
  it.each<[flaw: string, spoil: Change, problem: string]>([
    [
      'a missing field',
      change('move', { names: undefined }),
      'move › move-2 (2) › names: got nothing: expected array, received undefined',
    ],
    [
      'a missing inner field',
      change('item', { sprites: {} }),
      'item › item-2 (2) › sprites.default: got nothing: expected a value',
    ],
    [
      'a retyped field',
      change('item', { game_indices: [{ game_index: '7', ...generation('/api/v2/generation/1/') }] }),
      'item › item-2 (2) › game_indices[0].game_index: got "7": expected number, received string',
    ],
    [
      'a null where there is an object',
      change('move', { generation: null }),
      'move › move-2 (2) › generation: got null: expected object, received null',
    ],
    ['a link that leads to no generation', ...notLink('https://example.test/generation/first/')],
    ['a link that leads further', ...notLink('https://x.test/generation/4/more')],
    ['a link that leads elsewhere', ...notLink('https://x.test/4/')],
  ])('is rejected for %s', async (_, spoil, problem) => {
    expect(await failureOf({ spoil })).toBe(problem);
  });

  it('is rejected if its list has another id', async () => {
    const answer = moveAnswer(3, { name: 'move-2' });
    const message = await failureOf({ fault: at('/api/v2/move/2/', 200, JSON.stringify(answer)) });
    const got = 'got id 3, name "move-2", expected 2, "move-2", as in the list';
    expect(message).toBe(`move › move-2 (2): ${got}`);
  });
});

describe('a value that a record can do without', () => {
  const name = (entry: object): Change => change('move', { names: [entry] });
  const icon = (got: string) =>
    `unusable-icon: item-2: using the placeholder: got "${got}": expected an image`;
  const language = 'unusable-name: move-2: the name in "" is left out: got "": expected a language tag';
  it.each<[odd: string, spoil: Change, warning: string]>([
    ['a list as an icon', change('item', { sprites: { default: ['a.png'] } }), icon('[\\"a.png\\"]')],
    ['a number as an icon', change('item', { sprites: { default: 7 } }), icon('7')],
    ['a list of icons', change('item', { sprites: [] }), icon('[]')],
    ['null as icons', change('item', { sprites: null }), icon('null')],
    ['null as a language', name({ name: 'x', language: null }), language],
    ['a language of null', name({ name: 'x', language: { name: null } }), language],
    [
      'null as a name',
      name({ name: null, language: { name: 'it' } }),
      'missing-name: move-2: the name in it is empty, left out',
    ],
    [
      'a number as the English name',
      name({ name: 7, language: { name: 'en' } }),
      'missing-name: move-2: no English name, called "Move 2"',
    ],
  ])('is left out, with a warning: %s', async (_, spoil, warning) => {
    const answers = tinyUpstream();
    spoil(answers);
    const server = await serveUpstream(upstreamOf(answers));
    const { dataSet } = await loadFrom('rest', server.url);
    const warnings = dataSet.warnings.map(({ code, message }) => `${code}: ${message}`);
    expect(warnings).toContainEqual(expect.stringContaining(warning));
    expect(dataSet.counts).toEqual(everyKind({ move: 3, item: 2 }, () => 1));
  });

  it.each<[missing: string, spoil: Change, problem: string]>([
    [
      'icons',
      change('item', { sprites: undefined }),
      'item › item-2 (2) › sprites: got nothing: expected a value',
    ],
    [
      'a language',
      name({ name: 'x' }),
      'move › move-2 (2) › names[0].language: got nothing: expected a value',
    ],
    [
      'its name',
      name({ language: { name: 'it' } }),
      'move › move-2 (2) › names[0].name: got nothing: expected a value',
    ],
  ])('is an error if its key is missing: %s', async (_, spoil, problem) => {
    expect(await failureOf({ spoil })).toBe(problem);
  });
});

describe('a list that is not as it has to be', () => {
  const notBelow = (url: string): [body: string, problem: string] => [
    list(1, links(url)),
    `move › move-1 › url: got "${url}", expected a link to UPSTREAM/move/<id>/`,
  ];
  it.each<[flaw: string, body: string, problem: string]>([
    ['no results', '{"count":0}', 'move › list › results: got nothing: expected array, received undefined'],
    ['another shape', '[]', 'move › list: got []: expected object, received array'],
    ['a link to another kind', ...notBelow('/api/v2/item/1/')],
    ['a link that is none', ...notBelow('http://[')],
    ...['01/', '1x/', 'x1/', '1/2/', '', '10000000000000000/'].map((id): [string, string, string] => [
      `the id ${id}`,
      ...notBelow(`/api/v2/move/${id}`),
    ]),
  ])('is rejected for %s', async (_, body, problem) => {
    expect(await failureOf({ fault: at('/api/v2/move/?', 200, body) })).toBe(problem);
  });

  it('is rejected for a link to another host, of which nothing is asked', async () => {
    const other = await startServer((response) => response.end(JSON.stringify(moveAnswer(1))));
    const url = `${other.url}/api/v2/move/1/`;
    const message = await failureOf({ fault: at('/api/v2/move/?', 200, list(1, links(url))) });
    expect(message).toBe(`move › move-1 › url: got "${url}", expected a link to UPSTREAM/move/<id>/`);
    expect(other.requests).toEqual([]);
  });
});

describe('fewer records', () => {
  it('are rejected in a first build, which then leaves nothing behind', async () => {
    const { url } = await serveUpstream(upstreamOf({ move: [], item: [itemAnswer(1)] }));
    const out = path.join(temporaryFolder(), 'site');
    await expect(build({ source: 'rest', upstream: url, cache: false, out, maxShrink: 99 })).rejects.toThrow(
      'move: got 0 records, expected at least one',
    );
    expect(existsSync(out)).toBe(false);
  });

  it('are taken if allow-missing names them or max-shrink allows them, and reported', async () => {
    const answers = tinyUpstream();
    const { url: upstream } = await serveUpstream(upstreamOf(answers));
    const options = { source: 'rest', upstream, baseUrl: 'https://example.test', cache: false } as const;
    const out = path.join(temporaryFolder(), 'site');
    // The bundled data set has more records.
    await build({ ...options, out, maxShrink: 100 });
    answers.move.pop();
    const report = await build({ ...options, out, allowMissing: ['move/move-3'] });
    expect(report).toMatchObject({ missing: { move: ['move-3'], item: [] }, counts: { move: 2 } });
    answers.move.pop();
    expect(await build({ ...options, out, maxShrink: 50 })).toMatchObject({ files: { removed: 1 } });
  });
});
