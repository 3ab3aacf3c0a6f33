/** Parses CSV strictly, and picks the columns that are needed. */

import Papa from 'papaparse';
import { show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';

/** A table and the columns that are read, in the order that rows have them. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The rows that are kept: those with this value in a column. Default: all. */
  readonly only?: { readonly column: string; readonly value: string };
}

/** The picked columns of one row. */
export type Row = readonly string[];

/**
 * Reads the rows of a table that are kept.
 *
 * @throws DataError if the text is not CSV, a row has the wrong number of fields, or a column is missing
 */
export function readTable(table: Table, text: string): Row[] {
  const { columns, only } = table;
  const record = `${table.name}.csv`;
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true });
  const [error] = errors;
  if (error) throw new DataError(`${error.message} in row ${(error.row ?? 0) + 1}: expected CSV`, { record });
  const [header = [], ...rows] = data;
  const places = columns.map((column) => placeOf(table, header, column));
  const tested = only && placeOf(table, header, only.column);
  const kept: Row[] = [];
  for (const [at, fields] of rows.entries()) {
    if (fields.length !== header.length) {
      const problem = `got ${fields.length} fields in row ${at + 2}: expected ${header.length}, as in the first`;
      throw new DataError(problem, { record });
    }
    if (tested === undefined || fields[tested] === only?.value)
      kept.push(places.map((place) => fields[place] ?? ''));
  }
  return kept;
}

/** The position of a column. */
function placeOf({ name }: Table, header: readonly string[], column: string): number {
  const at = header.indexOf(column);
  if (at !== -1) return at;
  throw new DataError(`got columns ${show(header)}: expected one called ${column}`, {
    record: `${name}.csv`,
    field: column,
  });
}

/** An integer in a row. `at` is its position among the picked columns. */
export function integerAt({ name, columns }: Table, row: Row, at: number): number {
  const text = row[at] ?? '';
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new DataError(`got ${show(text)} in row ${show(row)}: expected an integer`, {
    record: `${name}.csv`,
    field: columns[at],
  });
}
