import { gzipSync } from 'fflate';
import { plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { kindNames, mapKinds } from '../contract/kinds.ts';
import { getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
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

export function createApiFiles(
  served: ServedRecords,
  meta: Pick<Meta, 'base_url' | 'links'>,
): SiteFile[] {
  const base = getLinkBase(meta);
  const root = mapKinds((kind) => paths.listUrl(base, kind));
  return [
    createJsonFile(paths.rootFile, root),
    createJsonFile(paths.META_FILE, meta),
    ...kindNames.flatMap((kind) => {
      const count = served[kind].length;
      const pages = pageOffsets(count).map((offset) => {
        const results = served[kind].slice(offset, offset + PAGE_SIZE);
        const page = { range: { limit: PAGE_SIZE, offset }, count, results };
        return createJsonFile(
          paths.listPageFile(kind, offset),
          paths.createListPage(base, kind, page),
        );
      });
      return [
        ...pages,
        ...served[kind].map((record) =>
          createJsonFile(paths.recordFile(kind, record.slug), record),
        ),
      ];
    }),
    ...([400, 404, 405] as const).map((status) => ({
      path: errorFiles[status],
      body: createErrorBody(errorDetails[status]),
    })),
  ];
}

export function createBulkText({ path, kind }: SiteFileRow, served: ServedRecords): string {
  if (kind === undefined) return JSON.stringify(served);
  if (path.endsWith('.ndjson'))
    return served[kind].map((record) => `${JSON.stringify(record)}\n`).join('');
  const rows = served[kind].map((record) => Object.values(record));
  return [Object.keys(servedSchemas[kind].shape), ...rows].map(formatCsvRow).join('');
}

/** Avoids zlib, whose output depends on its version and the processor. */
export const gzip = (body: Uint8Array): Uint8Array => gzipSync(body, { level: 6, mtime: 0 });

export const createBulkFiles = (served: ServedRecords): SiteFile[] =>
  plainBulkRows.flatMap((row) => {
    const body = Buffer.from(createBulkText(row, served));
    return [
      { path: row.path, body },
      { path: paths.gzipFile(row.path), body: gzip(body) },
    ];
  });

export function createNamesFiles(names: readonly Names[], baseUrl: string): SiteFile[] {
  if (names.length === 0) return [];
  const languages = names.map(({ language, ...own }) => ({
    language,
    name: getNativeName(language),
    ...mapKinds((kind) => Object.keys(own[kind]).length),
    url: `${baseUrl}/${paths.namesFile(language)}`,
  }));
  return [
    createJsonFile(paths.NAMES_INDEX_FILE, { languages }),
    ...names.map((own) => createJsonFile(paths.namesFile(own.language), own)),
  ];
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
 * Matches the positions where a formula can start. Spreadsheets that split cells at semicolons or tabs ignore the quotation marks
 * around the whole text: https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"]*['=+\-@＝＋－＠])/gu;

/**
 * Inserts an apostrophe before each formula, and before an apostrophe in the same position. To restore the original, remove one
 * apostrophe at the start and one after each separator.
 */
export const formatCsvRow = (cells: readonly Cell[]): string =>
  `${cells.map(formatCsvCell).join(',')}\r\n`;

function formatCsvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
