/**
 * The files that a site has beside the API's: one table for OpenAPI, the docs, the front page and the headers of hosts. A test
 * compares the README's list with it.
 */

import { kindNames } from './kinds.ts';
import * as paths from './paths.ts';
import type { SchemaName } from './served.ts';

export interface SiteFileRow {
  /** Relative to the base URL; a part in braces stands for many. */
  readonly path: string;
  readonly summary: string;
  /** Its request in generated clients. */
  readonly id: string;
  /** Of JSON that has a schema. */
  readonly schema?: SchemaName;
}

/** `download/move.ndjson.gz` → `downloadMoveNdjsonGz` */
const download = (path: string, summary: string): SiteFileRow => ({
  path,
  summary,
  id: path.replace(/[/.](.)/g, (_, letter: string) => letter.toUpperCase()),
});

/** The bulk files without their compressed copies. */
export const plainBulkRows: readonly SiteFileRow[] = [
  ...kindNames.flatMap((kind) => [
    download(paths.ndjsonFile(kind), `Every ${kind}, one JSON object per line.`),
    download(
      paths.csvFile(kind),
      `Every ${kind} as CSV (RFC 4180, UTF-8). Null is an empty cell. Remove one apostrophe at the start of a cell and after each semicolon: it keeps spreadsheets from running the text as a formula.`,
    ),
  ]),
  {
    ...download(paths.EVERYTHING_FILE, 'Every record of every kind as one JSON object.'),
    schema: 'gamedata',
  },
];

/** The checksums come last: they are those of the others. */
const archives = {
  'gamedata.tar.gz': 'The complete site, to serve elsewhere.',
  'gamedata.zip': 'The same as a ZIP file.',
  'gamedata.sha256': 'The SHA-256 checksums of both.',
} as const;
export type ArchiveName = keyof typeof archives;
export const ARCHIVE_NAMES = Object.keys(archives) as readonly ArchiveName[];

/** What a site may lack, and what it always has. */
const rows = {
  names: [
    {
      path: paths.NAMES_INDEX_FILE,
      summary: 'The languages in which records have names',
      id: 'getNamesIndex',
      schema: 'names-index',
    },
    {
      path: paths.namesFile('{language}'),
      summary: 'The names of records in one language',
      id: 'getNames',
      schema: 'names',
    },
  ],
  bulk: plainBulkRows.flatMap((row) => [
    row,
    download(`${row.path}.gz`, `${row.summary} Compressed with gzip.`),
    download(`${row.path}.br`, `${row.summary} Compressed with Brotli.`),
  ]),
  archives: Object.entries(archives).map(([name, summary]) =>
    download(paths.DOWNLOAD_FOLDER + name, summary),
  ),
  site: [
    {
      path: paths.META_FILE,
      summary: 'Description of the data; its digest tells whether anything changed',
      id: 'getMeta',
      schema: 'meta',
    },
    {
      path: paths.MANIFEST_FILE,
      summary: 'Every file with its size and SHA-256',
      id: 'getManifest',
      schema: 'manifest',
    },
    {
      path: paths.CHANGES_FILE,
      summary: 'What changed, step by step, newest first: records added, removed, renamed and changed',
      id: 'getChanges',
      schema: 'changes',
    },
    { path: paths.FEED_FILE, summary: 'The same as an Atom feed', id: 'getFeed' },
    {
      path: paths.FORMER_FILE,
      summary: 'The slugs that records had before they were renamed or removed, and the ids of these records',
      id: 'getFormer',
      schema: 'former',
    },
    {
      path: paths.MOVED_FILE,
      summary: 'The former paths of renamed records, and their present ones',
      id: 'getMoved',
      schema: 'moved',
    },
    {
      path: paths.SEARCH_FILE,
      summary: 'The search index: every record, in columns',
      id: 'getSearchIndex',
      schema: 'search',
    },
    { path: paths.OPENAPI_FILE, summary: 'The API as an OpenAPI 3.1 document', id: 'getOpenApi' },
    { path: paths.schemaFile('{schema}'), summary: 'A JSON Schema 2020-12', id: 'getSchema' },
    { path: paths.TYPES_FILE, summary: 'The types as TypeScript', id: 'getTypes' },
    { path: paths.BROWSE_FILE, summary: 'What browsers get instead of JSON', id: 'getPage' },
    {
      path: `${paths.ICONS_FOLDER}{icon}`,
      summary: "An item's icon: `{base_url}/{icon}`",
      id: 'getPicture',
    },
  ],
} as const satisfies Record<string, readonly SiteFileRow[]>;

export type FileGroup = keyof typeof rows;
export const fileRows: Readonly<Record<FileGroup, readonly SiteFileRow[]>> = rows;

/** Every bulk file with its compressed copies. */
export const bulkFiles = rows.bulk.map(({ path }) => path);
/** Archives of the site inside the site. An archive never contains them. */
export const archiveFiles = rows.archives.map(({ path }) => path);
