import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableNames } from '../../src/upstream/csv.ts';
import type { SourceContext } from '../../src/upstream/source.ts';
import { type DecodedDataSet, decodeDataSet } from '../support/decode.ts';
import { everyKind } from '../support/kinds.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import {
  type TableTexts,
  tablesOf,
  writeClone,
  writeTables,
} from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  handMadeUpstream,
  itemAnswer,
  tinyUpstream,
  upstreamOf,
} from '../support/upstream-data.ts';

async function load(
  source: 'csv' | 'rest',
  upstream: string,
): Promise<DecodedDataSet> {
  const { dataSet } = await loadFrom(source, upstream);
  return decodeDataSet(dataSet);
}

function writeFolder(tables: TableTexts): string {
  const folder = temporaryFolder();
  writeTables(folder, tables);
  return folder;
}

function loadTables(tables: TableTexts): Promise<DecodedDataSet> {
  return load('csv', writeFolder(tables));
}

/** Finds the table for a request such as `/items.csv?uncached=1`. */
function findTable(tables: TableTexts, url = ''): string | undefined {
  const { pathname } = new URL(url, 'http://tables.test');
  return tables[path.basename(pathname)];
}

function serveTables(tables: TableTexts) {
  return startServer((response, { url }) => {
    const text = findTable(tables, url);
    response.writeHead(text === undefined ? 404 : 200);
    response.end(text);
  });
}

/** Returns the tables of an upstream with a single item. */
function tablesWithItem(name: string): TableTexts {
  const item = [itemAnswer(1, { name })];
  return tablesOf(upstreamOf({ move: [], item }));
}

const data = handMadeUpstream();
const tables = tablesOf(data);
const tableCount = tableNames.length;

it('reads the same records and names from tables as from the REST API', async () => {
  const upstream = await serveUpstream(data);
  const rest = await load('rest', upstream.url);
  const icons = rest.records.item.map(({ icon }) => icon);
  const csv = await load('csv', writeClone(temporaryFolder(), tables, icons));
  expect(csv.records).toEqual(rest.records);
  expect(csv.names).toEqual(rest.names);
  expect(csv.warnings).toEqual(rest.warnings);
});

it('uses the newest modification time in a folder of tables as the capture date', async () => {
  const folder = writeFolder(tables);
  for (const file of Object.keys(tables)) {
    utimesSync(path.join(folder, file), 0, 1_500_000_000);
  }
  utimesSync(path.join(folder, 'items.csv'), 0, 1_600_000_000);
  const { provenance } = await load('csv', folder);
  expect(provenance).toEqual({
    source: 'csv',
    upstream: 'local files',
    captured: '2020-09-13',
    edition: null,
  });
});

it("uses the current date if a table's modification time is in the future", async () => {
  const folder = writeFolder(tables);
  utimesSync(path.join(folder, 'items.csv'), 0, 4_000_000_000);
  const { provenance } = await load('csv', folder);
  expect(provenance.captured).toBe('2026-01-02');
});

describe('the csv source', () => {
  function read(upstream: string, options: Partial<SourceContext> = {}) {
    return loadFrom('csv', upstream, options);
  }

  it('reads the same data from a URL as from a folder of tables', async () => {
    const { url: upstream } = await serveTables(tables);
    const expected = await loadTables(tables);
    const { dataSet } = await read(upstream);
    expect(decodeDataSet(dataSet)).toEqual({
      ...expected,
      provenance: { source: 'csv', upstream, captured: '2026-01-02', edition: null },
    });
  });

  it('requests all tables from a branch twice, bypassing caches the second time', async () => {
    const { url, requests } = await serveTables(tables);
    await read(url);
    const firstPass = tableNames.map((name) => `/${name}.csv`);
    const secondPass = firstPass.map((file) => `${file}?uncached=`);
    // We remove the value of the parameter, because it is the time.
    const paths = requests.map((request) => request.path.replace(/\d+$/, ''));
    expect(paths).toEqual([...firstPass, ...secondPass]);
  });

  it('requests the tables from a commit only once', async () => {
    const { url } = await serveTables(tables);
    const { requests } = await read(`${url}/${'0a'.repeat(20)}/data/v2/csv`);
    expect(requests).toMatchObject({ requests: tableCount });
  });

  it('reads the tables from a branch until two passes in a row return the same data', async () => {
    const newTables = {
      ...tables,
      'item_names.csv': 'item_id,local_language_id,name\n',
    };
    // The branch moves during the second pass.
    const server = await startServer((response, { url }, at) => {
      const isNew = at > tableCount + 2;
      response.end(findTable(isNew ? newTables : tables, url));
    });
    const { dataSet, requests } = await read(server.url);
    expect(requests?.requests).toBe(3 * tableCount);
    const expected = await read(writeFolder(newTables));
    expect(dataSet.digest).toBe(expected.dataSet.digest);
  });

  it('fails if four passes in a row return different tables', async () => {
    const server = await startServer((response, { url }, at) => {
      const table = findTable(tables, url) ?? '';
      const isNames = url?.startsWith('/move_names.csv') === true;
      response.end(isNames ? `${table}1,99,Pound ${at}\n` : table);
    });
    await expect(read(server.url)).rejects.toMatchObject({
      message: `GET ${server.url}/: got different tables in each of 4 reads, expected tables from one commit`,
      code: 'upstream',
    });
    expect(server.requests).toHaveLength(4 * tableCount);
  });

  it('requests a table again if the response is an error page', async () => {
    const page = '<!doctype html>\n<title>items.csv</title>\n';
    /** The number of remaining error pages. */
    let pages = 1;
    const server = await startServer((response, { url }) => {
      const isPage = url?.startsWith('/items.csv') === true && pages > 0;
      if (isPage) pages -= 1;
      response.end(isPage ? page : findTable(tables, url));
    });
    const { dataSet } = await read(server.url);
    expect(dataSet.counts.item).toBeGreaterThan(0);
    pages = 9;
    await expect(read(server.url)).rejects.toThrow(
      `GET ${server.url}/items.csv: got columns ["<!doctype html>"], expected a column called id (5 attempts)`,
    );
  });

  const { 'item_names.csv': _, ...otherTables } = tables;

  it('fails if a table is missing from the upstream', async () => {
    const { url } = await serveTables(otherTables);
    await expect(read(url)).rejects.toThrow(
      `GET ${url}/item_names.csv: got 404, expected 200 (5 attempts)`,
    );
  });

  it('fails if a table is missing from the folder', async () => {
    const folder = writeFolder(otherTables);
    await expect(load('csv', folder)).rejects.toThrow(
      `${path.join(folder, 'item_names.csv')}: does not exist, expected an upstream table`,
    );
  });
});

it('parses mixed line endings, quoted fields, empty rows and columns in any order', async () => {
  const text = [
    '\uFEFFname,item_id,local_language_id\r\n',
    '"Ball, ""old""",1,9\n',
    '\n',
    ',,\r',
    ' , ,\r\n',
    'Bälle,1,5\r',
  ];
  const { records } = await loadTables({
    ...tablesWithItem('x'),
    'item_names.csv': text.join(''),
  });
  expect(records.item[0]).toMatchObject({ slug: 'x', name: 'Ball, "old"' });
});

it.each([
  ['tm01', 'tm-normal'],
  ['hm08', 'hm-normal'],
  ['data-card-27', 'data-card'],
  ['tm-case', 'tm-case'],
])('derives the icon of %s from its slug: %s', async (slug, icon) => {
  const file = `sprites/items/${icon}.png`;
  const folder = writeClone(temporaryFolder(), tablesWithItem(slug), [file]);
  const { records } = await load('csv', folder);
  expect(records.item[0]?.icon).toBe(file);
});

describe('parsing', () => {
  const tiny = tablesOf(upstreamOf(tinyUpstream()));

  /** Loads the tables after rows were added to them. */
  function loadWith(rows: TableTexts, skip?: number[]) {
    const changed = { ...tiny };
    for (const [file, row] of Object.entries(rows)) changed[file] += `${row}\n`;
    const options = skip && { skip: everyKind({ item: skip }, () => []) };
    return loadFrom('csv', writeFolder(changed), options);
  }

  it('rejects a row for a record that does not exist', async () => {
    const rows = { 'move_names.csv': '70,9,Nobody' };
    await expect(loadWith(rows)).rejects.toMatchObject({
      code: 'data',
      message: 'move_names.csv › move_id: got "70", expected an id in moves.csv',
    });
  });

  it('names every record with an invalid cell in one error', async () => {
    const rows = { 'items.csv': '3,,1\n4,a/b,1', 'item_game_indices.csv': '1,x,7' };
    await expect(loadWith(rows)).rejects.toMatchObject({
      message: [
        '3 records cannot be used:',
        '  item/1: item › 1 › item_game_indices[0].generation_id: got "x", expected an integer',
        '  item/3: item › 3 › identifier: got "", expected an identifier',
        '  item/4: item › a/b (4) › slug: got "a/b", expected a safe slug: lower-case letters, digits and inner hyphens',
      ].join('\n'),
      hint: 'To build without these records, add --skip item/1 item/3 item/4',
    });
    const { dataSet } = await loadWith(rows, [1, 3, 4]);
    expect(dataSet.counts.item).toBe(1);
  });
  it.each<[file: string, row: string, problem: string]>([
    ['items.csv', '3,x', 'FOLDER/items.csv: row 4: got 2 cells, expected 3'],
    [
      'moves.csv',
      '4,"x,1,',
      'FOLDER/moves.csv: row 5: Quoted field unterminated, expected CSV',
    ],
    ['items.csv', '0x3,x,1', 'items.csv › id: got "0x3", expected an integer'],
    [
      'items.csv',
      '3,,1',
      'item/3: item › 3 › identifier: got "", expected an identifier',
    ],
    [
      'items.csv',
      '2,other,1',
      'item › id: got 2 for "item-2" and "other", expected unique ids',
    ],
  ])('rejects %s with the additional row %j', async (file, row, message) => {
    const invalid = { ...tiny, [file]: `${tiny[file]}${row}\n` };
    const folder = writeFolder(invalid);
    await expect(load('csv', folder)).rejects.toMatchObject({
      code: 'data',
      message: message.replace('FOLDER', folder),
    });
  });

  it.each<[flaw: string, text: string | Buffer, problem: string]>([
    [
      'a missing column',
      'id,name\n1,x\n',
      'got columns ["id","name"], expected a column called identifier',
    ],
    [
      'an encoding other than UTF-8',
      Buffer.from([0xff]),
      'got 1 bytes that are not UTF-8',
    ],
  ])('rejects a table with %s', async (_, text, problem) => {
    const folder = writeFolder(tiny);
    const file = path.join(folder, 'items.csv');
    writeFileSync(file, text);
    await expect(load('csv', folder)).rejects.toMatchObject({
      code: 'data',
      message: `${file}: ${problem}`,
    });
  });
});
