/**
 * The files that a site has beside the API's: one table for OpenAPI, the docs, the front page and the headers of hosts. A test
 * compares the README's list with it.
 */

import { type Kind, kindNames } from './kinds.ts';
import * as paths from './paths.ts';
import type { SchemaName } from './served.ts';

export interface SiteFileRow {
  /** Relative to the base URL; a part in braces stands for many. */
  readonly path: string;
  /** What generated clients call the request. */
  readonly id: string;
  readonly summary: string;
  /** Of JSON that has a schema. */
  readonly schema?: SchemaName | undefined;
  /** Of a bulk file with the records of one kind. */
  readonly kind?: Kind;
}

const row = (path: string, id: string, summary: string, schema?: SchemaName): SiteFileRow => ({
  path,
  id,
  summary,
  schema,
});

/** `download/move.ndjson.gz` → `downloadMoveNdjsonGz` */
function download(path: string, summary: string, schema?: SchemaName): SiteFileRow {
  const id = path.replace(/[/.](.)/g, (_, letter: string) => letter.toUpperCase());
  return row(path, id, summary, schema);
}

const CSV =
  'as CSV (RFC 4180, UTF-8). Null is an empty cell. Remove one apostrophe at the start of a cell and after each semicolon: it keeps spreadsheets from running the text as a formula.';

/** The bulk files without their compressed copies. */
export const plainBulkRows: readonly SiteFileRow[] = [
  ...kindNames.flatMap((kind) => [
    {
      ...download(`${paths.DOWNLOAD_FOLDER}${kind}.ndjson`, `Every ${kind}, one JSON object per line.`),
      kind,
    },
    { ...download(`${paths.DOWNLOAD_FOLDER}${kind}.csv`, `Every ${kind} ${CSV}`), kind },
  ]),
  download(
    `${paths.DOWNLOAD_FOLDER}gamedata.json`,
    'Every record of every kind as one JSON object.',
    'gamedata',
  ),
];

/** What a site may lack, and what it always has. */
export const fileRows = {
  names: [
    row(paths.NAMES_INDEX_FILE, 'getNamesIndex', 'The languages in which records have names', 'names-index'),
    row(paths.namesFile('{language}'), 'getNames', 'The names of records in one language', 'names'),
  ],
  bulk: plainBulkRows.flatMap((plain) => [
    plain,
    download(paths.gzipFile(plain.path), `${plain.summary} Compressed with gzip.`),
  ]),
  archives: [
    download(paths.ARCHIVE_FILE, 'The complete site, to serve elsewhere.'),
    download(paths.CHECKSUM_FILE, 'The SHA-256 checksum of the archive.'),
  ],
  site: [
    row(
      paths.META_FILE,
      'getMeta',
      'Description of the data; its digest tells whether anything changed',
      'meta',
    ),
    row(paths.MANIFEST_FILE, 'getManifest', 'Every file with its size and SHA-256', 'manifest'),
    row(
      paths.CHANGES_FILE,
      'getChanges',
      'What changed, step by step, newest first: records added, removed, renamed and changed',
      'changes',
    ),
    row(paths.FEED_FILE, 'getFeed', 'The same as an Atom feed'),
    row(
      paths.FORMER_FILE,
      'getFormer',
      'The slugs that records had before they were renamed or removed, and the ids of these records',
      'former',
    ),
    row(paths.MOVED_FILE, 'getMoved', 'The former paths of renamed records, and their present ones', 'moved'),
    row(
      paths.SEARCH_FILE,
      'getSearchIndex',
      'The search index: id, slug, name and icon of every record',
      'search',
    ),
    row(paths.OPENAPI_FILE, 'getOpenApi', 'The API as an OpenAPI 3.1 document'),
    row(paths.schemaFile('{schema}'), 'getSchema', 'A JSON Schema 2020-12'),
    row(paths.TYPES_FILE, 'getTypes', 'The types as TypeScript'),
    row(paths.BROWSE_FILE, 'getPage', 'What browsers get instead of JSON'),
    row(`${paths.ICONS_FOLDER}{icon}`, 'getPicture', "An item's icon: `{base_url}/{icon}`"),
  ],
} satisfies Record<string, readonly SiteFileRow[]>;
export type FileGroup = keyof typeof fileRows;

/** Every bulk file with its compressed copy. */
export const bulkFiles = fileRows.bulk.map(({ path }) => path);
/** The archive of a site inside the site, which contains everything but these files. */
export const archiveFiles: readonly string[] = [paths.ARCHIVE_FILE, paths.CHECKSUM_FILE];
