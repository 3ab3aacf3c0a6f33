import { type Kind, kindNames } from './kinds.ts';
import * as paths from './paths.ts';
import type { SchemaName } from './served.ts';

export interface SiteFileRow {
  /** The path relative to the base URL. Parts in braces are variables. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** What a program needs to know to read the file. */
  readonly note?: string;
  readonly schema?: SchemaName | undefined;
  readonly kind?: Kind | undefined;
}

/** Creates a row with an explicit id and summary. */
function createRow(
  path: string,
  id: string,
  summary: string,
  schema?: SchemaName,
): SiteFileRow {
  return { path, id, summary, schema };
}

/**
 * Creates a row for a bulk file and derives its id from its path. For example,
 * `download/move.ndjson.gz` gets the id `downloadMoveNdjsonGz`.
 */
function createDownload(path: string, summary: string, kind?: Kind): SiteFileRow {
  const id = path.replace(/[/.](.)/g, (_, letter: string) => letter.toUpperCase());
  // Only one of the bulk files is JSON: the one that contains all kinds.
  const schema = path.endsWith('.json') ? 'gamedata' : undefined;
  return { path, id, summary, kind, schema };
}

const CSV_NOTE =
  'In CSV, null is an empty cell. Remove one apostrophe at the start of a cell and after each semicolon. These apostrophes keep spreadsheets from running text as formulas.';

/** The bulk files, without their compressed copies. */
export const plainBulkRows: readonly SiteFileRow[] = listPlainBulkRows();

/** Lists two bulk files for each kind, and one for all kinds. */
function listPlainBulkRows(): SiteFileRow[] {
  const rows: SiteFileRow[] = [];
  for (const kind of kindNames) {
    const lines = `Every ${kind}, one JSON object per line.`;
    const table = `Every ${kind} as CSV (RFC 4180, UTF-8).`;
    rows.push(createDownload(`download/${kind}.ndjson`, lines, kind));
    const csv = createDownload(`download/${kind}.csv`, table, kind);
    rows.push({ ...csv, note: CSV_NOTE });
  }
  const everything = 'Every record of every kind as one JSON object.';
  rows.push(createDownload('download/gamedata.json', everything));
  return rows;
}

/** Lists each bulk file, followed by its compressed copy. */
function listBulkRows(): SiteFileRow[] {
  const rows: SiteFileRow[] = [];
  for (const plainRow of plainBulkRows) {
    const summary = `${plainRow.summary} Compressed with gzip.`;
    rows.push(plainRow);
    rows.push(createDownload(paths.gzipFile(plainRow.path), summary));
  }
  return rows;
}

const namesRows: readonly SiteFileRow[] = [
  createRow(
    paths.NAMES_INDEX_FILE,
    'getNamesIndex',
    'The languages that records have names in',
    'names-index',
  ),
  createRow(
    paths.namesFile('{language}'),
    'getNames',
    'The names of records in one language',
    'names',
  ),
];

const archiveRows: readonly SiteFileRow[] = [
  createDownload(paths.ARCHIVE_FILE, 'The complete site, to serve elsewhere.'),
  createDownload(paths.CHECKSUM_FILE, 'The SHA-256 checksum of the archive.'),
];

const siteRows: readonly SiteFileRow[] = [
  createRow(
    paths.META_FILE,
    'getMeta',
    'A description of the data, including a digest of the data',
    'meta',
  ),
  createRow(
    paths.MANIFEST_FILE,
    'getManifest',
    'Every file with its size and SHA-256',
    'manifest',
  ),
  createRow(
    paths.CHANGES_FILE,
    'getChanges',
    'Added, removed, renamed and changed records, newest first',
    'changes',
  ),
  createRow(paths.FEED_FILE, 'getFeed', 'The changes as an Atom feed'),
  createRow(
    paths.MOVED_FILE,
    'getMoved',
    'The old and current paths of renamed records',
    'moved',
  ),
  createRow(
    paths.SEARCH_FILE,
    'getSearchIndex',
    'The id, slug, name, icon and generation of every record',
    'search',
  ),
  createRow(paths.OPENAPI_FILE, 'getOpenApi', 'The API as an OpenAPI 3.1 document'),
  createRow(paths.schemaFile('{schema}'), 'getSchema', 'A JSON Schema 2020-12'),
  createRow(paths.TYPES_FILE, 'getTypes', 'The types as TypeScript'),
  createRow(paths.BROWSE_FILE, 'getPage', 'The page that shows the API in browsers'),
  createRow(
    `${paths.ICONS_FOLDER}{icon}`,
    'getPicture',
    "An item's icon: `{base_url}/{icon}`",
  ),
];

export const fileRows = {
  names: namesRows,
  bulk: listBulkRows(),
  archives: archiveRows,
  site: siteRows,
} satisfies Record<string, readonly SiteFileRow[]>;
export type FileGroup = keyof typeof fileRows;

export const bulkFiles = fileRows.bulk.map(({ path }) => path);
/** A site's archive and its checksum. The archive contains the site's other files. */
export const archiveFiles: readonly string[] = [
  paths.ARCHIVE_FILE,
  paths.CHECKSUM_FILE,
];
