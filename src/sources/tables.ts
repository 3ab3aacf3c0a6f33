/** The upstream's tables, and the columns of them that are read. */

import type { Kind } from '../contract/kinds.ts';
import type { Table } from './csv-tables.ts';

/** English, in the upstream's `languages` table. */
const ENGLISH = '9';
const only = { column: 'local_language_id', value: ENGLISH };

export const tables = {
  moves: { name: 'moves', columns: ['id', 'identifier', 'generation_id'] },
  move_names: { name: 'move_names', columns: ['move_id', 'name'], only },
  items: { name: 'items', columns: ['id', 'identifier'] },
  item_names: { name: 'item_names', columns: ['item_id', 'name'], only },
  item_game_indices: { name: 'item_game_indices', columns: ['item_id', 'generation_id', 'game_index'] },
} as const satisfies Record<string, Table> & Record<`${Kind}_names`, Table>;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** Table → its text. */
export type TableTexts = Readonly<Record<TableName, string>>;
