/** The upstream's CSV tables, made of its REST answers: the same data in the other form. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { UpstreamData } from './upstream-data.ts';

export type TableTexts = Record<string, string>;

interface Answer {
  id: number;
  name: string;
  names: { name: string; language: { name: string; url: string } }[];
  accuracy: number | null;
  generation: { url: string };
  game_indices: { game_index: number; generation: { url: string } }[];
}

const lastNumber = ({ url }: { url: string }): number => Number(/(\d+)\/$/.exec(url)?.[1]);
const field = (value: string | number): string =>
  /[",\n]/.test(`${value}`) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const table = (header: string, rows: (string | number)[][]): string =>
  [header, ...rows.map((row) => row.map(field).join(','))].join('\n').concat('\n');

const languagesOf = (answers: readonly Answer[]) => [
  ...new Map(
    answers.flatMap(({ names }) => names.map(({ language }) => [lastNumber(language), language.name])),
  ),
];

/** File name → text, with columns besides those that are needed, as the upstream has them. */
export function tablesOf(data: UpstreamData): TableTexts {
  const answers = (kind: 'move' | 'item') =>
    data.list(kind).map(({ id }) => JSON.parse(data.record(kind, id) ?? '') as Answer);
  const names = (of: readonly Answer[]) =>
    of.flatMap(({ id, names }) => names.map(({ language, name }) => [id, lastNumber(language), name]));
  const [moves, items] = [answers('move'), answers('item')];
  return {
    'moves.csv': table(
      'id,identifier,generation_id,type_id,accuracy',
      moves.map((move) => [move.id, move.name, lastNumber(move.generation), '', move.accuracy ?? '']),
    ),
    'move_names.csv': table('move_id,local_language_id,name', names(moves)),
    'languages.csv': table(
      'id,iso639,iso3166,identifier,official,order',
      languagesOf([...moves, ...items]).map(([id, name]) => [id, '', '', name, 1, id]),
    ),
    'items.csv': table(
      'id,identifier,category_id',
      items.map(({ id, name }) => [id, name, 1]),
    ),
    'item_names.csv': table('item_id,local_language_id,name', names(items)),
    'item_game_indices.csv': table(
      'item_id,generation_id,game_index',
      items.flatMap(({ id, game_indices }) =>
        game_indices.map((entry) => [id, lastNumber(entry.generation), entry.game_index]),
      ),
    ),
  };
}

export function writeTables(folder: string, tables: TableTexts): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(tables)) writeFileSync(path.join(folder, file), text);
}
