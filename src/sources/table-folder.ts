/** Tables as files of a folder. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { readPieces } from '../files/folder.ts';
import { type TableName, tableNames } from './tables.ts';

/** How much of a table is read at a time, in bytes. */
const PIECE = 2 ** 15;

/** The modification date of the newest table, `YYYY-MM-DD`. Throws `OutputError` if one is missing. */
export function captureDate(folder: string): string {
  const times = tableNames.map((name) => {
    try {
      return statSync(fileOf(folder, name)).mtimeMs;
    } catch (cause) {
      throw unreadable(folder, name, cause);
    }
  });
  return new Date(Math.max(...times)).toISOString().slice(0, 10);
}

/** Yields a table's text. Throws `OutputError` if it cannot be read, or is not UTF-8. */
export function* piecesOf(folder: string, name: TableName): Generator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const piece of readPieces(folder, `${name}.csv`, PIECE))
      yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    throw unreadable(folder, name, cause);
  }
}

function unreadable(folder: string, name: TableName, cause: unknown): OutputError {
  const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
  const problem = `cannot be read (${reason}), expected a table of the upstream`;
  return new OutputError(problem, fileOf(folder, name), { cause });
}

const fileOf = (folder: string, name: TableName): string => path.join(folder, `${name}.csv`);
