/** Tables as files of a folder. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { readFile } from '../files.ts';
import { type TableName, type TableTexts, tableNames } from './tables.ts';

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

/** Reads every table. Throws `OutputError` if one cannot be read, or is not UTF-8. */
export const readTables = (folder: string): TableTexts =>
  Object.fromEntries(tableNames.map((name) => [name, readText(folder, name)])) as TableTexts;

function readText(folder: string, name: TableName): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFile(folder, `${name}.csv`));
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
