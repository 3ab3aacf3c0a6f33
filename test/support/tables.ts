/** Derives the upstream's CSV tables from its REST responses. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { kindNames } from '../../src/contract/kinds.ts';
import { pluralize } from '../../src/contract/words.ts';
import { answersOf, type FullAnswer, idIn, type UpstreamData } from './upstream-data.ts';

export type TableTexts = Record<string, string>;

const table = (columns: string, data: unknown[][]): string =>
  `${Papa.unparse({ fields: columns.split(','), data }, { newline: '\n' })}\n`;

const namesTable = (column: string, answers: readonly FullAnswer[]): string =>
  table(
    `${column},local_language_id,name`,
    answers.flatMap(({ id, names }) =>
      names.map(({ language, name }) => [id, idIn(language), name]),
    ),
  );

/** File name → text, with further columns of the upstream. */
export function tablesOf(data: UpstreamData): TableTexts {
  const all = kindNames.map((kind) => [kind, answersOf(data, kind)] as const);
  const names = all.flatMap(([, answers]) => answers.flatMap((answer) => answer.names));
  const ofKinds = all.flatMap(([kind, answers]) => {
    const isItem = kind === 'item';
    const columns = isItem ? 'category_id' : 'generation_id,type_id,accuracy';
    const row = ({ id, name, generation, accuracy }: FullAnswer) =>
      isItem ? [id, name, 1] : [id, name, idIn(generation), '', accuracy];
    return [
      [`${pluralize(kind)}.csv`, table(`id,identifier,${columns}`, answers.map(row))],
      [`${kind}_names.csv`, namesTable(`${kind}_id`, answers)],
    ];
  });
  return {
    ...Object.fromEntries(ofKinds),
    'languages.csv': table(
      'id,iso639,iso3166,identifier,official,order',
      [...new Map(names.map(({ language }) => [idIn(language), language.name]))].map(
        ([id, name]) => [...[id, '', '', name, 1, id]],
      ),
    ),
    'item_game_indices.csv': table(
      'item_id,generation_id,game_index',
      answersOf(data, 'item').flatMap(({ id, game_indices }) =>
        game_indices.map(({ generation, game_index }) => [id, idIn(generation), game_index]),
      ),
    ),
  };
}

export function writeTables(folder: string, tables: TableTexts): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(tables)) writeFileSync(path.join(folder, file), text);
}

/** Writes tables and icons as a clone of the upstream's repository has them. Returns the folder of the tables. */
export function writeClone(folder: string, tables: TableTexts, icons: readonly string[]): string {
  const csv = path.join(folder, 'csv');
  writeTables(csv, tables);
  const sprites = path.join(folder, 'sprites', 'sprites', 'items');
  mkdirSync(sprites, { recursive: true });
  for (const icon of icons) writeFileSync(path.join(sprites, path.basename(icon)), '');
  return csv;
}
