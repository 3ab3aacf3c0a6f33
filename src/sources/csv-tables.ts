/** Parses CSV strictly, and picks the columns that are needed. */

import Papa, { type ParseStepResult } from 'papaparse';
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
 * Reads a table.
 *
 * @throws DataError if the text is not CSV, a row has the wrong number of fields, or a column is missing
 */
export function readTable(table: Table, text: string): Row[] {
  const { only } = table;
  const record = `${table.name}.csv`;
  const rows: Row[] = [];
  let header: readonly string[] | undefined;
  let places: readonly number[] = [];
  let tested: number | undefined;
  let read = 0;
  const step = ({ data: fields, errors: [error] }: ParseStepResult<string[]>): void => {
    read++;
    if (error) throw new DataError(`${error.message} in row ${read}: expected CSV`, { record });
    if (!header) {
      header = fields;
      places = table.columns.map((column) => placeOf(table, fields, column));
      tested = only && placeOf(table, fields, only.column);
    } else if (fields.length !== header.length) {
      const problem = `got ${fields.length} fields in row ${read}: expected ${header.length}, as in the first`;
      throw new DataError(problem, { record });
    } else if (tested === undefined || fields[tested] === only?.value) {
      rows.push(places.map((at) => fields[at] ?? ''));
    }
  };
  // Left to guess, papaparse reads a megabyte of each table.
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  Papa.parse<string[]>(text, { delimiter: ',', newline, skipEmptyLines: true, step });
  if (!header) placeOf(table, [], table.columns[0] ?? '');
  return rows;
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
