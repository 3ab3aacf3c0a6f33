import { gzipSync } from 'fflate';
import { plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { mapKinds } from '../contract/kinds.ts';
import {
  encodeText,
  getLinkBase,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import { getNativeName, type Names } from '../contract/names.ts';
import * as paths from '../contract/paths.ts';
import { createErrorBody, errorDetails, errorFiles } from '../contract/responses.ts';
import { type SearchIndex, servedSchemas } from '../contract/served.ts';
import { createApiValues } from '../data/api-values.ts';
import type { Records, ServedRecords } from '../data/data-set.ts';
import { createSearchEntry } from '../data/search-entry.ts';

function createJsonFile(path: string, value: unknown): SiteFile {
  return { path, body: JSON.stringify(value) };
}

/**
 * Creates the files of the API root, list pages and records, `meta.json`, and the
 * error bodies.
 */
export function createApiFiles(
  served: ServedRecords,
  meta: Pick<Meta, 'base_url' | 'links'>,
): SiteFile[] {
  const apiValues = createApiValues(getLinkBase(meta), served);
  const files = [createJsonFile(paths.META_FILE, meta)];
  for (const [file, value] of apiValues) files.push(createJsonFile(file, value));
  for (const status of [400, 404, 405] as const) {
    files.push({
      path: errorFiles[status],
      body: createErrorBody(errorDetails[status]),
    });
  }
  return files;
}

/**
 * Creates the text of a bulk file: JSON with all kinds, or NDJSON or CSV with one
 * kind.
 */
export function createBulkText(
  { path, kind }: SiteFileRow,
  served: ServedRecords,
): string {
  if (kind === undefined) return JSON.stringify(served);
  const records = served[kind];
  if (path.endsWith('.ndjson')) {
    return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
  const columns = Object.keys(servedSchemas[kind].shape);
  let text = formatCsvRow(columns);
  for (const record of records) text += formatCsvRow(Object.values(record));
  return text;
}

/**
 * Compresses without zlib, because the output of zlib depends on its version and the
 * processor.
 */
export const gzip = (body: Uint8Array): Uint8Array =>
  gzipSync(body, { level: 6, mtime: 0 });

/** Creates each bulk file and its compressed copy. */
export function createBulkFiles(served: ServedRecords): SiteFile[] {
  const files: SiteFile[] = [];
  for (const row of plainBulkRows) {
    const body = encodeText(createBulkText(row, served));
    files.push({ path: row.path, body });
    files.push({ path: paths.gzipFile(row.path), body: gzip(body) });
  }
  return files;
}

/** Creates a names file for each language, and a list of all languages. */
export function createNamesFiles(
  names: readonly Names[],
  baseUrl: string,
): SiteFile[] {
  if (names.length === 0) return [];
  const languages: object[] = [];
  const namesFiles: SiteFile[] = [];
  for (const languageNames of names) {
    const { language } = languageNames;
    const file = paths.namesFile(language);
    const name = getNativeName(language);
    const counts = mapKinds((kind) => Object.keys(languageNames[kind]).length);
    languages.push({ language, name, ...counts, url: `${baseUrl}/${file}` });
    namesFiles.push(createJsonFile(file, languageNames));
  }
  return [createJsonFile(paths.NAMES_INDEX_FILE, { languages }), ...namesFiles];
}

/**
 * Creates the search index for the pages. It contains only the fields that the pages
 * show.
 */
export function createSearchIndex(records: Records): SearchIndex {
  return mapKinds((kind) => records[kind].map(createSearchEntry));
}

export type Cell = string | number | null;

/**
 * Matches the positions at which a formula can start. Some spreadsheets also split
 * cells at semicolons or tabs, and ignore the quotation marks around the text.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*['=+\-@＝＋－＠])/gu;

/**
 * Matches text that must be quoted because it contains a quotation mark or a character
 * that some spreadsheets use as a separator, or because it starts or ends with white
 * space.
 */
const NEEDS_QUOTES = /[",\r\n;\t]|^\s|\s$/;

/**
 * Formats a row of CSV. Inserts an apostrophe before each formula, and before each
 * apostrophe where a formula could start. To restore the original text, remove one
 * apostrophe at the start of each cell and one after each separator in the cell.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function formatCsvRow(cells: readonly Cell[]): string {
  const formattedCells = cells.map(formatCsvCell);
  return `${formattedCells.join(',')}\r\n`;
}

function formatCsvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(FORMULA, "'");
  if (!NEEDS_QUOTES.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}
