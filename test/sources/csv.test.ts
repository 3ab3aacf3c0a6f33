import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DataError, GamedataError } from '../../src/errors.ts';
import { tableNames } from '../../src/sources/csv.ts';
import { decodeDataSet } from '../support/decode.ts';
import { journalLine } from '../support/journal.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { type TableTexts, tablesOf, writeTables } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { handMadeUpstream, itemAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const loadRecords = async (source: 'csv' | 'rest', upstream: string) =>
  decodeDataSet((await loadFrom(source, upstream)).dataSet);
const loadCsv = (upstream: string) => loadRecords('csv', upstream);

function folderOf(tables: TableTexts): string {
  const folder = temporaryFolder();
  writeTables(folder, tables);
  return folder;
}

const loadTables = (tables: TableTexts) => loadCsv(folderOf(tables));

/** The table that a URL names, of some tables. */
const tableAt = (tables: TableTexts, url = ''): string | undefined =>
  tables[path.basename(url.split('?')[0] ?? '')];
const serveTables = (tables: TableTexts) =>
  startServer((response, { url }) => {
    const text = tableAt(tables, url);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });

const withoutIcon = ({ icon: _, ...record }: { icon: string }) => record;

it('tables give the records that the responses of the upstream give', async () => {
  const data = handMadeUpstream();
  const { url } = await serveUpstream(data);
  const rest = await loadRecords('rest', url);

  const csv = await loadTables(tablesOf(data));

  expect(csv.records.move).toEqual(rest.records.move);
  expect(csv.records.item.map(withoutIcon)).toEqual(rest.records.item.map(withoutIcon));
  const pictured = rest.records.item.filter(({ icon }) => icon !== 'sprites/items/unknown.png');
  const byId = new Map(csv.records.item.map((item) => [item.id, item]));
  const differing = pictured.filter(({ id, icon }) => byId.get(id)?.icon !== icon).map(({ slug }) => slug);
  expect(differing).toEqual([]);
  expect(csv.warnings).toEqual(rest.warnings.filter(({ code }) => code !== 'no-icon'));
});

describe('tables', () => {
  const tables = tablesOf(handMadeUpstream());
  const all = tableNames.length;

  it('are read from an address as they are from a folder', async () => {
    const server = await serveTables(tables);
    const upstream = `${server.url}/data/v2/csv`;

    const dataSet = await loadCsv(upstream);

    expect(dataSet).toEqual({ ...(await loadTables(tables)), provenance: expect.anything() });
    expect(dataSet.provenance).toEqual({ source: 'csv', upstream, captured: '2026-01-02', edition: null });
    const asked = server.requests.slice(0, all).map((request) => request.path);
    expect(asked).toEqual(tableNames.map((name) => `/data/v2/csv/${name}.csv`));
  });

  it('in a folder were captured when the newest of them was written', async () => {
    const folder = folderOf(tables);
    for (const file of Object.keys(tables)) utimesSync(path.join(folder, file), 0, 1_500_000_000);
    utimesSync(path.join(folder, 'items.csv'), 0, 1_600_000_000);
    const { provenance } = await loadCsv(folder);
    const from = { source: 'csv', upstream: 'local files', captured: '2020-09-13', edition: null };
    expect(provenance).toEqual(from);
    // By a clock that ran ahead.
    utimesSync(path.join(folder, 'items.csv'), 0, 4_000_000_000);
    expect((await loadCsv(folder)).provenance.captured).toBe('2026-01-02');
  });

  const read = (upstream: string, cacheFolder?: string, progress: string[] = []) =>
    loadFrom('csv', upstream, {
      cacheFolder,
      onProgress: ({ done, total, requests }) =>
        progress.push(`${done} of ${total} after ${requests.requests}`),
    });

  it('are asked for one after another, twice, and kept in the cache', async () => {
    const server = await startServer((response, { url, headers }) => {
      const text = tableAt(tables, url) ?? '';
      const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
      const known = headers['if-none-match'] === etag;
      response.writeHead(known ? 304 : 200, { etag }).end(known ? undefined : text);
    });
    const progress: string[] = [];
    const cache = temporaryFolder();
    const first = await read(server.url, cache, progress);
    expect(progress).toEqual(tableNames.map((_, at) => `${at + 1} of ${all} after ${at + 1}`));
    expect(first.requests).toMatchObject({ requests: 2 * all, bodies: all, notModified: all });
    const second = await read(server.url, cache);
    expect(second.requests).toMatchObject({ requests: 2 * all, bodies: 0, notModified: 2 * all });
    expect(decodeDataSet(second.dataSet)).toEqual(decodeDataSet(first.dataSet));
    expect(server.requests.slice(all, 2 * all).map(({ path: url }) => url.replace(/\d+$/, ''))).toEqual(
      tableNames.map((name) => `/${name}.csv?edition=`),
    );
    const [journal = ''] = readdirSync(cache);
    const [header = ''] = readFileSync(path.join(cache, journal), 'utf8').split('\n');
    const stored = { url: `${server.url}/moves.csv`, etag: '"1"', storedAt: 1, freshUntil: 0 };
    const line = journalLine({ ...stored, value: 7 });
    writeFileSync(path.join(cache, journal), `${header}\n${line}`);
    expect((await read(server.url, cache)).requests).toMatchObject({ requests: 2 * all, bodies: all });
  });

  it('of a commit are asked for once', async () => {
    const server = await serveTables(tables);
    const upstream = `${server.url}/${'0a'.repeat(20)}/data/v2/csv`;
    expect((await read(upstream)).requests).toMatchObject({ requests: all });
  });

  it('that change while they are read are read until they stay the same', async () => {
    const later: TableTexts = { ...tables, 'item_names.csv': 'item_id,local_language_id,name\n' };
    const server = await startServer((response, { url }, at) =>
      response.end(tableAt(at > all + 2 ? later : tables, url)),
    );
    const { dataSet, requests } = await read(server.url);
    expect(requests?.requests).toBe(3 * all);
    expect(dataSet.digest).toBe((await read(folderOf(later))).dataSet.digest);
  });

  it('that change whenever they are read are refused', async () => {
    const server = await startServer((response, { url }, at) =>
      response.end(`${tableAt(tables, url)}${'\n'.repeat(at)}`),
    );
    await expect(read(server.url)).rejects.toMatchObject({
      message: `GET ${server.url}/: got tables that changed whenever they were read, 4 times, expected tables of one commit`,
      hint: 'Try again later, or name a commit in the URL instead of a branch.',
      request: { unreachable: false },
    });
    expect(server.requests).toHaveLength(4 * all);
  });

  it('have no index for an item that has none', async () => {
    const indices = 'item_id,generation_id,game_index\n1,2,3\n1,4,5\n';
    const { records } = await loadTables({ ...tables, 'item_game_indices.csv': indices });
    const listed = records.item.filter(({ id2, id4, id9 }) => id2 ?? id4 ?? id9);
    expect(listed).toMatchObject([{ id: 1, id1: null, id2: 3, id3: null, id4: 5 }]);
  });

  it('in a folder have to be there, and to be UTF-8', async () => {
    const folder = folderOf(tables);
    const file = path.join(folder, 'items.csv');
    writeFileSync(file, Buffer.from([0xff]));
    await expect(loadCsv(folder)).rejects.toMatchObject({
      message: `${file}: cannot be read (not UTF-8), expected a table of the upstream`,
      cause: expect.any(Error),
    });
  });

  it('may have a byte order mark, CRLF, quotes, and their columns in any order', async () => {
    const dataSet = await loadTables({
      ...tablesOf(upstreamOf({ move: [], item: [itemAnswer(1, { name: 'x' })] })),
      'item_names.csv': '\uFEFFname,item_id,local_language_id\r\n"Ball, ""old""",1,9\r\nBälle,1,5\r\n',
    });
    expect(dataSet.records.item[0]).toMatchObject({ slug: 'x', name: 'Ball, "old"' });
  });

  it.each([
    ['tm01', 'tm-normal'],
    ['tm100', 'tm-normal'],
    ['hm08', 'hm-normal'],
    ['data-card-27', 'data-card'],
    ...['tm-case', 'hm-case--old', 'atm1', 'poke-ball'].map((slug) => [slug, slug]),
  ])('say that the icon of %s is %s', async (slug, icon) => {
    const { records } = await loadTables(
      tablesOf(upstreamOf({ move: [], item: [itemAnswer(1, { name: slug })] })),
    );
    expect(records.item[0]?.icon).toBe(`sprites/items/${icon}.png`);
  });
});

describe('tables that are wrong', () => {
  const tables = tablesOf(upstreamOf(tinyUpstream()));
  const replaced = (file: string, from: string | RegExp, to: string): TableTexts => ({
    ...tables,
    [file]: (tables[file] ?? '').replace(from, to),
  });
  const added = (file: string, row: string): TableTexts => ({ ...tables, [file]: `${tables[file]}${row}\n` });

  it.each<[flaw: string, tables: TableTexts, problem: string]>([
    [
      'a missing column',
      replaced('items.csv', 'identifier', 'name'),
      'items.csv › identifier: got columns ["id","name","category_id"], expected one called identifier',
    ],
    [
      'a missing column, and no rows',
      { ...tables, 'item_names.csv': 'item_id\n' },
      'item_names.csv › local_language_id: got columns ["item_id"], expected one called local_language_id',
    ],
    ['no header', { ...tables, 'items.csv': '' }, 'items.csv › id: got columns [], expected one called id'],
    [
      'a row that is too short',
      added('items.csv', '3,x'),
      'items.csv: Too few fields: expected 3 fields but parsed 2 in row 4, expected CSV',
    ],
    [
      'an open quote',
      added('moves.csv', '4,"x,1,'),
      'moves.csv: Quoted field unterminated in row 5, expected CSV',
    ],
    [
      'an id that is no number',
      added('items.csv', '0x3,x,1'),
      'items.csv › id: got "0x3" in row ["0x3","x","1"], expected an integer',
    ],
    [
      'no identifier',
      added('items.csv', '3,,1'),
      'items.csv › identifier: got row 3,,1, expected an identifier',
    ],
    [
      'names of many moves that are not there',
      added(
        'move_names.csv',
        [70, 9, 500, 8, 60, 50, 40, 30, 20, 600, 10, 7].map((id) => `${id},9,Nobody`).join('\n'),
      ),
      'move_names.csv: got rows for unknown ids: 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, expected tables of the same date',
    ],
    [
      'a name of no move',
      added('move_names.csv', '9,9,Nobody'),
      'move_names.csv: got rows for unknown ids: 9, expected tables of the same date',
    ],
    [
      'an id twice',
      added('items.csv', '2,other,1'),
      'item › id: got repeated ids: 2 (item-2), 2 (other), expected unique ids',
    ],
    [
      'an id of 0',
      added('items.csv', '0,zero,1'),
      'item › zero (0) › id: got 0: Too small: expected number to be >=1',
    ],
  ])('are rejected: %s', async (_, wrong, problem) => {
    const error = await loadTables(wrong).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataError);
    expect(error).toHaveProperty('message', problem);
  });

  it('are rejected: a file that is not there', async () => {
    const { 'item_names.csv': _, ...rest } = tables;
    const folder = folderOf(rest);
    const file = path.join(folder, 'item_names.csv');
    await expect(loadCsv(folder)).rejects.toThrow(
      `${file}: cannot be read (ENOENT), expected a table of the upstream`,
    );
    const { url } = await serveTables(rest);
    const error = await loadCsv(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GamedataError);
    expect(error).toHaveProperty('message', `GET ${url}/item_names.csv: got 404, expected 200 (2 attempts)`);
  });
});
