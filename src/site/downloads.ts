/** Bulk files: every record in one request, as NDJSON, CSV and JSON, each with compressed copies. */

import type { Compress, CompressedCopies } from '../archive/compressor.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';
import {
  compressedExtensions,
  csvFile,
  EVERYTHING_FILE,
  type LinkBase,
  META_FILE,
  ndjsonFile,
} from '../contract/paths.ts';
import { servedSchemas } from '../contract/served.ts';
import type { AnyFile, MadeFile } from '../contract/site-file.ts';
import type { EncodedRecord, EncodedRecords } from '../dataset/data-set.ts';
import { servedText } from '../dataset/encode.ts';
import { joined } from '../text/joined.ts';
import { csvRow } from './csv.ts';

/** What a bulk file is made from. */
export interface BulkPlan {
  readonly records: EncodedRecords;
  readonly linkBase: LinkBase;
}

export interface Download {
  readonly path: string;
  /** One sentence for people. */
  readonly summary: string;
  /** The file's text in chunks. */
  text(plan: BulkPlan): Generator<string>;
}

/** The bulk files without their compressed copies. */
export const downloads: readonly Download[] = [
  ...kindNames.flatMap((kind): Download[] => [
    {
      path: ndjsonFile(kind),
      summary: `Every ${kind}, one JSON object per line.`,
      *text({ records, linkBase }) {
        yield* joined(map(records[kind], (record) => `${servedText(linkBase, kind, record)}\n`));
      },
    },
    {
      path: csvFile(kind),
      summary: `Every ${kind} as CSV (RFC 4180, UTF-8). Null is an empty cell; what a spreadsheet might run as a formula, or is an apostrophe in its place, at the start of a text or after a semicolon, is prefixed with an apostrophe.`,
      *text({ records, linkBase }) {
        yield csvRow(fieldsOf(kind));
        yield* joined(map(records[kind], (record) => tableRow(servedText(linkBase, kind, record))));
      },
    },
  ]),
  {
    path: EVERYTHING_FILE,
    summary: 'Every record of every kind as one JSON object.',
    *text({ records, linkBase }) {
      let before = '{';
      for (const kind of kindNames) {
        yield `${before}${JSON.stringify(kind)}:[`;
        const listed = (record: EncodedRecord, at: number): string =>
          (at > 0 ? ',' : '') + servedText(linkBase, kind, record);
        yield* joined(map(records[kind], listed));
        yield ']';
        before = ',';
      }
      yield '}';
    },
  },
];

/** The names of a kind's fields, in the order of records. */
export const fieldsOf = (kind: Kind): string[] => Object.keys(servedSchemas[kind].shape);

/** A record's text is flat JSON with its fields in order. */
const tableRow = (served: string): string => csvRow(Object.values(JSON.parse(served)));

/** One text at a time: those of a hundred thousand records would be in memory twice. */
function* map(
  records: readonly EncodedRecord[],
  text: (record: EncodedRecord, at: number) => string,
): Generator<string> {
  for (const [at, record] of records.entries()) yield text(record, at);
}

/**
 * Yields a site with its bulk files: right after `meta.json`, whose digest and base URL determine their content, so that
 * they are compressed in another thread while the other files are written; the compressed copies come last.
 */
export function* withDownloads(
  site: Iterable<AnyFile>,
  plan: BulkPlan,
  compress: Compress,
): Generator<AnyFile> {
  const copies: MadeFile[] = [];
  for (const file of site) {
    yield file;
    if (file.path !== META_FILE) continue;
    for (const { path, text } of downloads) {
      let isMade = false;
      yield {
        path,
        make() {
          isMade = true;
          return text(plan);
        },
      };
      const compressed = compressing(() => compress(path), isMade);
      for (const extension of compressedExtensions)
        copies.push({ path: `${path}.${extension}`, make: async () => (await compressed())[extension] });
    }
  }
  yield* copies;
}

/** Starts at once with what was just made, otherwise on demand. */
function compressing(
  compress: () => Promise<CompressedCopies>,
  isMade: boolean,
): () => Promise<CompressedCopies> {
  let compressed = isMade ? compress() : undefined;
  // The error reaches whoever awaits the copies, and there may be nobody.
  compressed?.catch(() => {});
  return () => {
    compressed ??= compress();
    return compressed;
  };
}
