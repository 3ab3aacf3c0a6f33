/** Derives the upstream's CSV tables from its REST responses. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { kindNames } from '../../src/contract/kinds.ts';
import { pluralize } from '../../src/contract/words.ts';
import {
  answersOf,
  type FullAnswer,
  idIn,
  type UpstreamData,
} from './upstream-data.ts';

export type TableTexts = Record<string, string>;

function createTable(columns: string, data: unknown[][]): string {
  const csv = Papa.unparse({ fields: columns.split(','), data }, { newline: '\n' });
  return `${csv}\n`;
}

function createNamesTable(column: string, answers: readonly FullAnswer[]): string {
  const rows: unknown[][] = [];
  for (const { id, names } of answers) {
    for (const { language, name } of names) rows.push([id, idIn(language), name]);
  }
  return createTable(`${column},local_language_id,name`, rows);
}

/**
 * Returns the text of each table by file name, including other columns that the
 * upstream has.
 */
export function tablesOf(data: UpstreamData): TableTexts {
  const tables: TableTexts = {};
  const languages = new Map<number, string>();
  for (const kind of kindNames) {
    const answers = answersOf(data, kind);
    const isItem = kind === 'item';
    const columns = isItem ? 'category_id' : 'generation_id,type_id,accuracy';
    const rows = answers.map(({ id, name, generation, accuracy }) => {
      if (isItem) return [id, name, 1];
      return [id, name, idIn(generation), '', accuracy];
    });
    tables[`${pluralize(kind)}.csv`] = createTable(`id,identifier,${columns}`, rows);
    tables[`${kind}_names.csv`] = createNamesTable(`${kind}_id`, answers);
    for (const { names } of answers) {
      for (const { language } of names) languages.set(idIn(language), language.name);
    }
  }

  const languageRows: unknown[][] = [];
  for (const [id, name] of languages) languageRows.push([id, '', '', name, 1, id]);
  tables['languages.csv'] = createTable(
    'id,iso639,iso3166,identifier,official,order',
    languageRows,
  );

  const indexRows: unknown[][] = [];
  for (const { id, game_indices } of answersOf(data, 'item')) {
    for (const { generation, game_index } of game_indices) {
      indexRows.push([id, idIn(generation), game_index]);
    }
  }
  tables['item_game_indices.csv'] = createTable(
    'item_id,generation_id,game_index',
    indexRows,
  );
  return tables;
}

export function writeTables(folder: string, tables: TableTexts): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(tables)) {
    writeFileSync(path.join(folder, file), text);
  }
}

/**
 * Writes tables and icons in the layout of a clone of the upstream's repository.
 * Returns the folder with the tables.
 */
export function writeClone(
  folder: string,
  tables: TableTexts,
  icons: readonly string[],
): string {
  const csv = path.join(folder, 'csv');
  writeTables(csv, tables);
  const sprites = path.join(folder, 'sprites', 'sprites', 'items');
  mkdirSync(sprites, { recursive: true });
  for (const icon of icons) {
    writeFileSync(path.join(sprites, path.basename(icon)), '');
  }
  return csv;
}
