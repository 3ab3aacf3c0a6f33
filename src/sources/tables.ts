/** The upstream's tables: which columns of them are read, and strict parsing of their text. */

import Papa from 'papaparse';
import { show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';

const columns = {
  moves: ['id', 'identifier', 'generation_id'],
  move_names: ['move_id', 'local_language_id', 'name'],
  items: ['id', 'identifier'],
  item_names: ['item_id', 'local_language_id', 'name'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
} as const;

export type TableName = keyof typeof columns;
export const tableNames = Object.keys(columns) as readonly TableName[];

/** Table → its text. */
export type TableTexts = Readonly<Record<TableName, string>>;

type Column<N extends TableName> = (typeof columns)[N][number];
type Row<N extends TableName> = Readonly<Record<Column<N>, string>>;

/** Rows of a table. */
export interface Table<N extends TableName> {
  readonly name: N;
  readonly rows: readonly Row<N>[];
}

/** Throws `DataError` if a text is not CSV, a row has the wrong number of fields, or a column is missing. */
export function readTable<N extends TableName>(name: N, texts: TableTexts): Table<N> {
  const record = `${name}.csv`;
  const { data, errors, meta } = Papa.parse<Row<N>>(texts[name], {
    delimiter: ',',
    header: true,
    skipEmptyLines: true,
  });
  const [error] = errors;
  if (error) {
    // Rows with the wrong number of fields are counted from the first below the header.
    const row = (error.row ?? 0) + (error.type === 'FieldMismatch' ? 2 : 1);
    throw new DataError(`${error.message} in row ${row}: expected CSV`, { record });
  }
  const { fields = [] } = meta;
  for (const field of columns[name])
    if (!fields.includes(field))
      throw new DataError(`got columns ${show(fields)}: expected one called ${field}`, { record, field });
  return { name, rows: data };
}

/** An integer in a row. */
export function integerIn<N extends TableName>({ name }: Table<N>, row: Row<N>, field: Column<N>): number {
  const text = row[field];
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  const location = { record: `${name}.csv`, field };
  throw new DataError(`got ${show(text)} in row ${show(Object.values(row))}: expected an integer`, location);
}
