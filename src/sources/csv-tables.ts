/** Parses CSV strictly, and picks the columns that are needed. */

import Papa, { type ParseStepResult } from 'papaparse';
import { show } from '../contract/parse.ts';
import { DataError } from '../errors.ts';

/** A table and the columns that are read, in the order that rows have them. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The picked columns of one row. */
export type Row = readonly string[];

/**
 * Reads a table, and keeps only wanted rows: names come in a dozen languages, and keeping them all takes longer to
 * garbage-collect than to parse.
 *
 * @throws DataError if the text is not CSV, a row has the wrong number of fields, or a column is missing
 */
export function readTable(table: Table, text: string, isWanted: (row: Row) => boolean = () => true): Row[] {
  const record = `${table.name}.csv`;
  const rows: Row[] = [];
  let header: readonly string[] | undefined;
  let places: readonly number[] = [];
  let read = 0;
  const step = ({ data, errors: [error] }: ParseStepResult<string[]>): void => {
    read++;
    if (error) throw new DataError(`${error.message} in row ${read}: expected CSV`, { record });
    if (!header) {
      header = data;
      places = placesOf(table, data);
    } else if (data.length === header.length) {
      const row = places.map((at) => data[at] ?? '');
      if (isWanted(row)) rows.push(row);
    } else {
      const problem = `got ${data.length} fields in row ${read}: expected ${header.length}, as in the first`;
      throw new DataError(problem, { record });
    }
  };
  Papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true, step });
  if (!header) placesOf(table, []);
  return rows;
}

/** The positions of the picked columns. */
function placesOf({ name, columns }: Table, header: readonly string[]): number[] {
  return columns.map((column) => {
    const at = header.indexOf(column);
    if (at !== -1) return at;
    throw new DataError(`got columns ${show(header)}: expected one called ${column}`, {
      record: `${name}.csv`,
      field: column,
    });
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
