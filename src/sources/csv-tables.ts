/** Parses CSV strictly, and picks the columns that are needed. */

import { Readable } from 'node:stream';
import Papa, { type ParseResult } from 'papaparse';
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
 * Reads a table from its text, in pieces that may end anywhere, and hands over one row after the other.
 *
 * @throws DataError if the text is not CSV, a row has the wrong number of fields, or a column is missing
 */
export function readTable(table: Table, pieces: Iterable<string>, take: (row: Row) => void): Promise<void> {
  const { only } = table;
  const record = `${table.name}.csv`;
  let header: readonly string[] | undefined;
  let places: readonly number[] = [];
  let tested: number | undefined;
  let read = 0;
  /** Whether lines end with CRLF, as the first does. papaparse guesses, and is wrong for some pieces. */
  let hasReturns: boolean | undefined;

  function readRow(fields: readonly string[]): void {
    if (!header) {
      header = fields;
      places = table.columns.map((column) => placeOf(table, fields, column));
      tested = only && placeOf(table, fields, only.column);
    } else if (fields.length !== header.length) {
      const problem = `got ${fields.length} fields in row ${read}: expected ${header.length}, as in the first`;
      throw new DataError(problem, { record });
    } else if (tested === undefined || fields[tested] === only?.value) {
      take(places.map((at) => fields[at] ?? ''));
    }
  }

  function readRows({ data: rows, errors }: ParseResult<string[]>): void {
    // A row that goes on in the next piece is read again from its start.
    const error = errors.find(({ row = 0 }) => row < rows.length);
    if (error)
      throw new DataError(`${error.message} in row ${read + (error.row ?? 0) + 1}: expected CSV`, { record });
    for (const fields of rows) {
      read++;
      const last = fields.at(-1) ?? '';
      hasReturns ??= last.endsWith('\r');
      if (hasReturns && last.endsWith('\r')) fields[fields.length - 1] = last.slice(0, -1);
      if (fields.length > 1 || fields[0] !== '') readRow(fields);
    }
  }

  return new Promise((resolve, reject) => {
    const stream = Readable.from(pieces);
    Papa.parse<string[]>(stream, {
      delimiter: ',',
      newline: '\n',
      chunk: readRows,
      complete: resolve,
      error(cause) {
        stream.destroy();
        reject(cause);
      },
    });
  }).then(() => {
    if (!header) placeOf(table, [], table.columns[0] ?? '');
  });
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

/**
 * A text in a row, to be kept: by itself it would keep the piece that it is a part of, and have two bytes a letter if any
 * letter of that needs them.
 */
export const textAt = (row: Row, at: number): string => Buffer.from(row[at] ?? '').toString();
