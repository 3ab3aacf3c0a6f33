/** The upstream's tables as text: reads CSV strictly and picks the columns that are needed. */

import Papa, { type ParseStepResult } from 'papaparse';
import { show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';

/** Table → the columns that are read, in the order in which rows have them. */
export const tables = {
  moves: ['id', 'identifier', 'generation_id'],
  move_names: ['move_id', 'local_language_id', 'name'],
  items: ['id', 'identifier'],
  item_names: ['item_id', 'local_language_id', 'name'],
  item_game_indices: ['item_id', 'generation_id', 'game_index'],
} as const satisfies Record<string, readonly string[]>;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** The picked columns of one row. */
export type Row = readonly string[];

/**
 * Reads a table, and keeps the rows that are wanted: names come in a dozen languages, and all of them at once take longer to
 * clear away than to read.
 *
 * @throws DataError where the text is not CSV, a row has too few or many fields, or a column is missing
 */
export function readTable(
  table: TableName,
  text: string,
  isWanted: (row: Row) => boolean = () => true,
): Row[] {
  const record = `${table}.csv`;
  const rows: Row[] = [];
  let header: readonly string[] | undefined;
  let places: readonly number[] = [];
  let read = 0;
  /** Only the picked columns of a row are kept. */
  const step = ({ data, errors: [error] }: ParseStepResult<string[]>): void => {
    read++;
    if (error) throw new DataError(`${error.message} in row ${read}: expected CSV`, { record });
    if (!header) {
      header = data;
      places = placesOf(table, data);
    } else if (data.length === header.length) {
      const row = places.map((at) => data[at] ?? '');
      if (isWanted(row)) rows.push(row);
    } else
      throw new DataError(
        `got ${data.length} fields in row ${read}: expected ${header.length}, as in the first`,
        {
          record,
        },
      );
  };
  Papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true, step });
  if (!header) placesOf(table, []);
  return rows;
}

/** Where the picked columns are in each row. */
function placesOf(table: TableName, header: readonly string[]): number[] {
  return tables[table].map((column) => {
    const at = header.indexOf(column);
    if (at !== -1) return at;
    throw new DataError(`got columns ${show(header)}: expected ${column} among them`, {
      record: `${table}.csv`,
      field: column,
    });
  });
}

/** A whole number in a row. `at` is its place among the picked columns. */
export function integerAt(table: TableName, row: Row, at: number): number {
  const text = row[at] ?? '';
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new DataError(`got ${show(text)} in row ${show(row)}: expected a whole number`, {
    record: `${table}.csv`,
    field: tables[table][at],
  });
}
