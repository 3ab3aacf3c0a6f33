import { type Kind, kindNames } from './kinds.ts';
import * as paths from './paths.ts';
import type { SchemaName } from './served.ts';

export interface SiteFileRow {
  /** Relative to the base URL. Parts in braces are variables. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly schema?: SchemaName | undefined;
  readonly kind?: Kind | undefined;
}

type Row = readonly [path: string, id: string, summary: string, schema?: SchemaName];

const listRows = (...rows: readonly Row[]): SiteFileRow[] =>
  rows.map(([path, id, summary, schema]) => ({ path, id, summary, schema }));

/** `download/move.ndjson.gz` has the id `downloadMoveNdjsonGz`. */
function createDownload(path: string, summary: string, kind?: Kind): SiteFileRow {
  const id = path.replace(/[/.](.)/g, (_, letter: string) => letter.toUpperCase());
  return { path, id, summary, kind, schema: path.endsWith('.json') ? 'gamedata' : undefined };
}

const CSV =
  'as CSV (RFC 4180, UTF-8). Null is an empty cell. Remove one apostrophe at the start of a cell and after each semicolon. These apostrophes keep spreadsheets from running text as formulas.';

/** The bulk files without their compressed copies. */
export const plainBulkRows: readonly SiteFileRow[] = [
  ...kindNames.flatMap((kind) => [
    createDownload(`download/${kind}.ndjson`, `Every ${kind}, one JSON object per line.`, kind),
    createDownload(`download/${kind}.csv`, `Every ${kind} ${CSV}`, kind),
  ]),
  createDownload('download/gamedata.json', 'Every record of every kind as one JSON object.'),
];

export const fileRows = {
  names: listRows(
    [
      paths.NAMES_INDEX_FILE,
      'getNamesIndex',
      'The languages that records have names in',
      'names-index',
    ],
    [paths.namesFile('{language}'), 'getNames', 'The names of records in one language', 'names'],
  ),
  bulk: plainBulkRows.flatMap((plain) => [
    plain,
    createDownload(paths.gzipFile(plain.path), `${plain.summary} Compressed with gzip.`),
  ]),
  archives: [
    createDownload(paths.ARCHIVE_FILE, 'The complete site, to serve elsewhere.'),
    createDownload(paths.CHECKSUM_FILE, 'The SHA-256 checksum of the archive.'),
  ],
  site: listRows(
    [
      paths.META_FILE,
      'getMeta',
      'A description of the data, including a digest of the data',
      'meta',
    ],
    [paths.MANIFEST_FILE, 'getManifest', 'Every file with its size and SHA-256', 'manifest'],
    [
      paths.CHANGES_FILE,
      'getChanges',
      'Added, removed, renamed and changed records, newest first',
      'changes',
    ],
    [paths.FEED_FILE, 'getFeed', 'The changes as an Atom feed'],
    [
      paths.FORMER_FILE,
      'getFormer',
      'The old slugs of renamed and removed records, with their ids',
      'former',
    ],
    [paths.MOVED_FILE, 'getMoved', 'The old and current paths of renamed records', 'moved'],
    [paths.SEARCH_FILE, 'getSearchIndex', 'The id, slug, name and icon of every record', 'search'],
    [paths.OPENAPI_FILE, 'getOpenApi', 'The API as an OpenAPI 3.1 document'],
    [paths.schemaFile('{schema}'), 'getSchema', 'A JSON Schema 2020-12'],
    [paths.TYPES_FILE, 'getTypes', 'The types as TypeScript'],
    [paths.BROWSE_FILE, 'getPage', 'The page that browsers get instead of JSON'],
    [`${paths.ICONS_FOLDER}{icon}`, 'getPicture', "An item's icon: `{base_url}/{icon}`"],
  ),
} satisfies Record<string, readonly SiteFileRow[]>;
export type FileGroup = keyof typeof fileRows;

export const bulkFiles = fileRows.bulk.map(({ path }) => path);
/** The site's own archive contains every other file. */
export const archiveFiles: readonly string[] = [paths.ARCHIVE_FILE, paths.CHECKSUM_FILE];
