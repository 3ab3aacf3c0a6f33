/** Tables as files of a folder. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { readFile } from '../files.ts';
import { type TableTexts, tableNames } from './tables.ts';

/**
 * Reads every table, and the modification date of the newest, `YYYY-MM-DD`.
 *
 * @throws OutputError if one cannot be read, or is not UTF-8
 */
export function readTables(folder: string): { texts: TableTexts; captured: string } {
  const tables = tableNames.map((name) => {
    const file = `${name}.csv`;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFile(folder, file));
      return { name, text, modified: statSync(path.join(folder, file)).mtimeMs };
    } catch (cause) {
      const reason = cause instanceof TypeError ? 'not UTF-8' : errorCode(cause);
      const problem = `cannot be read (${reason}), expected a table of the upstream`;
      throw new OutputError(problem, path.join(folder, file), { cause });
    }
  });
  return {
    texts: Object.fromEntries(tables.map(({ name, text }) => [name, text])) as TableTexts,
    captured: new Date(Math.max(...tables.map(({ modified }) => modified))).toISOString().slice(0, 10),
  };
}
