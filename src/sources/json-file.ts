/** Files of a folder that are to be JSON: what is wrong with one is an error that names it. */

import path from 'node:path';
import { DataError, errorCode, OutputError } from '../errors.ts';
import { readText } from '../files.ts';

/** What an error of a folder says that its file should be, and what can be done. */
interface Expected {
  readonly expected?: string;
  readonly hint?: string;
}

/** Throws `OutputError` if a file cannot be read. */
export function readFileText(folder: string, file: string, { expected, hint }: Expected = {}): string {
  try {
    return readText(folder, file);
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)})${expected ? `, expected ${expected}` : ''}`;
    throw new OutputError(problem, path.join(folder, file), { cause, hint });
  }
}

/** Throws `DataError` if a text is not JSON. `record` names it. */
export function parseText(text: string, record: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataError(`invalid JSON: ${(cause as SyntaxError).message}`, { record }, { cause });
  }
}

export const readJson = (folder: string, file: string, expected?: Expected): unknown =>
  parseText(readFileText(folder, file, expected), file);
