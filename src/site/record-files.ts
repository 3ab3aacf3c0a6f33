import { gzipSync } from 'fflate';
import { plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { encodeText, getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import { getNativeName, type Names } from '../contract/names.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { createErrorBody, errorDetails, errorFiles } from '../contract/responses.ts';
import { type SearchIndex, servedSchemas } from '../contract/served.ts';
import type { Records, ServedRecords } from '../dataset/data-set.ts';

const createJsonFile = (path: string, value: unknown): SiteFile => ({
  path,
  body: JSON.stringify(value),
});

/** Creates the API root, every list page and record, `meta.json`, and the bodies of errors. */
export function createApiFiles(
  served: ServedRecords,
  meta: Pick<Meta, 'base_url' | 'links'>,
): SiteFile[] {
  const base = getLinkBase(meta);
  const root = mapKinds((kind) => paths.listUrl(base, kind));
  const files = [createJsonFile(paths.rootFile, root), createJsonFile(paths.META_FILE, meta)];
  for (const kind of kindNames) {
    files.push(...createListPages(base, kind, served));
    for (const record of served[kind]) {
      files.push(createJsonFile(paths.recordFile(kind, record.slug), record));
    }
  }
  for (const status of [400, 404, 405] as const) {
    files.push({ path: errorFiles[status], body: createErrorBody(errorDetails[status]) });
  }
  return files;
}

function createListPages(base: paths.LinkBase, kind: Kind, served: ServedRecords): SiteFile[] {
  const records = served[kind];
  const count = records.length;
  return pageOffsets(count).map((offset) => {
    const range = { limit: PAGE_SIZE, offset };
    const results = records.slice(offset, offset + PAGE_SIZE);
    const page = paths.createListPage(base, kind, { range, count, results });
    return createJsonFile(paths.listPageFile(kind, offset), page);
  });
}

/** Creates the text of a bulk file: JSON of all kinds, or NDJSON or CSV of one kind. */
export function createBulkText({ path, kind }: SiteFileRow, served: ServedRecords): string {
  if (kind === undefined) return JSON.stringify(served);
  const records = served[kind];
  if (path.endsWith('.ndjson')) {
    return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
  const header = Object.keys(servedSchemas[kind].shape);
  const rows = records.map((record) => Object.values(record));
  return [header, ...rows].map(formatCsvRow).join('');
}

/** Avoids zlib, whose output depends on its version and the processor. */
export const gzip = (body: Uint8Array): Uint8Array => gzipSync(body, { level: 6, mtime: 0 });

export function createBulkFiles(served: ServedRecords): SiteFile[] {
  const files: SiteFile[] = [];
  for (const row of plainBulkRows) {
    const body = encodeText(createBulkText(row, served));
    files.push({ path: row.path, body });
    files.push({ path: paths.gzipFile(row.path), body: gzip(body) });
  }
  return files;
}

/** Creates a file of names for each language, and the list of languages. */
export function createNamesFiles(names: readonly Names[], baseUrl: string): SiteFile[] {
  if (names.length === 0) return [];
  const languages = names.map((languageNames) => {
    const { language } = languageNames;
    const counts = mapKinds((kind) => Object.keys(languageNames[kind]).length);
    const url = `${baseUrl}/${paths.namesFile(language)}`;
    return { language, name: getNativeName(language), ...counts, url };
  });
  const files = [createJsonFile(paths.NAMES_INDEX_FILE, { languages })];
  for (const languageNames of names) {
    files.push(createJsonFile(paths.namesFile(languageNames.language), languageNames));
  }
  return files;
}

export const createSearchIndex = (records: Records): SearchIndex =>
  mapKinds((kind) =>
    records[kind].map((record) => {
      const { id, slug, name } = record;
      return 'icon' in record ? { id, slug, name, icon: record.icon } : { id, slug, name };
    }),
  );

export type Cell = string | number | null;

/**
 * Matches the positions where a formula can start. Spreadsheets that split cells at semicolons or
 * tabs ignore the quotation marks around the whole text:
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*['=+\-@＝＋－＠])/gu;

/**
 * Matches text that must be quoted: separators of any spreadsheet, quotation marks, and white space
 * at either end.
 */
const NEEDS_QUOTES = /[",\r\n;\t]|^\s|\s$/;

/**
 * Formats a row of CSV (https://www.rfc-editor.org/rfc/rfc4180). Inserts an apostrophe before each
 * formula, and before an apostrophe in the same position. To restore the original, remove one
 * apostrophe at the start and one after each separator.
 */
export const formatCsvRow = (cells: readonly Cell[]): string =>
  `${cells.map(formatCsvCell).join(',')}\r\n`;

function formatCsvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(FORMULA, "'");
  if (!NEEDS_QUOTES.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}
