/** The upstream's CSV tables, made of its REST answers: the same data in the other form. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Papa from 'papaparse';
import { answersOf, type FullAnswer, idIn, type UpstreamData } from './upstream-data.ts';

export type TableTexts = Record<string, string>;

const table = (columns: string, data: unknown[][]): string =>
  `${Papa.unparse({ fields: columns.split(','), data }, { newline: '\n' })}\n`;

const namesTable = (column: string, answers: readonly FullAnswer[]): string =>
  table(
    `${column},local_language_id,name`,
    answers.flatMap(({ id, names }) => names.map(({ language, name }) => [id, idIn(language), name])),
  );

/** File name → text, with columns besides those that are needed, as the upstream has them. */
export function tablesOf(data: UpstreamData): TableTexts {
  const [moves, items] = [answersOf(data, 'move'), answersOf(data, 'item')];
  const languages = [...moves, ...items].flatMap(({ names }) => names.map(({ language }) => language));
  return {
    'moves.csv': table(
      'id,identifier,generation_id,type_id,accuracy',
      moves.map(({ id, name, generation, accuracy }) => [id, name, idIn(generation), '', accuracy]),
    ),
    'move_names.csv': namesTable('move_id', moves),
    'languages.csv': table(
      'id,iso639,iso3166,identifier,official,order',
      [...new Map(languages.map((one) => [idIn(one), one.name]))].map(([id, name]) => [
        ...[id, '', '', name, 1, id],
      ]),
    ),
    'items.csv': table(
      'id,identifier,category_id',
      items.map(({ id, name }) => [id, name, 1]),
    ),
    'item_names.csv': namesTable('item_id', items),
    'item_game_indices.csv': table(
      'item_id,generation_id,game_index',
      items.flatMap(({ id, game_indices }) =>
        game_indices.map(({ generation, game_index }) => [id, idIn(generation), game_index]),
      ),
    ),
  };
}

export function writeTables(folder: string, tables: TableTexts): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(tables)) writeFileSync(path.join(folder, file), text);
}
