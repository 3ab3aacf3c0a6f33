/** What is made of records: the API's files, bulk files (NDJSON, CSV and JSON) with gzip copies, and the names. */

import { gzipSync } from 'fflate';
import { plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import { getNativeName, type Names } from '../contract/names.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { createErrorBody, errorDetails, errorFiles } from '../contract/routes.ts';
import { type SearchIndex, servedSchemas } from '../contract/served.ts';
import type { Records, ServedRecords } from '../dataset/data-set.ts';

const json = (path: string, value: unknown): SiteFile => ({ path, body: JSON.stringify(value) });

/** Makes the files of every endpoint, of errors, and `meta.json`. */
export function apiFiles(served: ServedRecords, meta: Pick<Meta, 'base_url' | 'links'>): SiteFile[] {
  const base = getLinkBase(meta);
  return [
    json(
      paths.rootFile,
      mapKinds((kind) => paths.listUrl(base, kind)),
    ),
    json(paths.META_FILE, meta),
    ...kindNames.flatMap((kind) => {
      const count = served[kind].length;
      const pages = pageOffsets(count).map((offset) => {
        const results = served[kind].slice(offset, offset + PAGE_SIZE);
        const page = { window: { limit: PAGE_SIZE, offset }, count, results };
        return json(paths.listPageFile(kind, offset), paths.createListPage(base, kind, page));
      });
      return [...pages, ...served[kind].map((record) => json(paths.recordFile(kind, record.slug), record))];
    }),
    ...([400, 404, 405] as const).map((status) => ({
      path: errorFiles[status],
      body: createErrorBody(errorDetails[status]),
    })),
  ];
}

/** The text of one of the bulk files. */
export function bulkText({ path, kind }: SiteFileRow, served: ServedRecords): string {
  if (kind === undefined) return JSON.stringify(served);
  if (path.endsWith('.ndjson')) return served[kind].map((record) => `${JSON.stringify(record)}\n`).join('');
  const rows = [
    Object.keys(servedSchemas[kind].shape),
    ...served[kind].map((record) => Object.values(record)),
  ];
  return rows.map(csvRow).join('');
}

/** Compresses to the same bytes everywhere. The output of zlib depends on its version and the processor. */
export const gzip = (body: Uint8Array): Uint8Array => gzipSync(body, { level: 6, mtime: 0 });

export const downloadFiles = (served: ServedRecords): SiteFile[] =>
  plainBulkRows.flatMap((row) => {
    const body = Buffer.from(bulkText(row, served));
    return [
      { path: row.path, body },
      { path: paths.gzipFile(row.path), body: gzip(body) },
    ];
  });

/** The names in every language, and the list of these; no files if no names are known. */
export function namesFiles(names: readonly Names[], baseUrl: string): SiteFile[] {
  if (names.length === 0) return [];
  const languages = names.map(({ language, ...own }) => ({
    language,
    name: getNativeName(language),
    ...mapKinds((kind) => Object.keys(own[kind]).length),
    url: `${baseUrl}/${paths.namesFile(language)}`,
  }));
  return [
    json(paths.NAMES_INDEX_FILE, { languages }),
    ...names.map((own) => json(paths.namesFile(own.language), own)),
  ];
}

/** The search index of the pages, for other programs too. */
export const createSearchIndex = (records: Records): SearchIndex =>
  mapKinds((kind) =>
    records[kind].map((record) => {
      const { id, slug, name } = record;
      return 'icon' in record ? { id, slug, name, icon: record.icon } : { id, slug, name };
    }),
  );

export const searchFile = (records: Records): SiteFile => json(paths.SEARCH_FILE, createSearchIndex(records));

export type Cell = string | number | null;

/**
 * Where a spreadsheet may find the start of a formula, full-width characters included. One that separates by semicolons or
 * tabs does not see the quotation marks around the whole text: https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*['=+\-@＝＋－＠])/gu;

/**
 * A row with its line ending. What might be the start of a formula, or is an apostrophe in such a place, is prefixed with an
 * apostrophe: removing one at the start and one after each separator always restores the original.
 */
export const csvRow = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
