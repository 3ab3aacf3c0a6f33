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
import { concat } from '../text/bytes.ts';
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
        for (const chunk of chunks(records[kind])) {
          yield chunk.map((record) => `${servedText(linkBase, kind, record)}\n`).join('');
        }
      },
    },
    {
      path: csvFile(kind),
      summary: `Every ${kind} as CSV (RFC 4180, UTF-8). Null is an empty cell; what a spreadsheet might run as a formula, or is an apostrophe in its place, at the start of a text or after a semicolon, is prefixed with an apostrophe.`,
      *text({ records, linkBase }) {
        yield csvRow(fieldsOf(kind));
        for (const chunk of chunks(records[kind])) {
          yield chunk.map((record) => tableRow(servedText(linkBase, kind, record))).join('');
        }
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
        for (const [at, chunk] of chunks(records[kind]).entries()) {
          yield (at > 0 ? ',' : '') + chunk.map((record) => servedText(linkBase, kind, record)).join(',');
        }
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

/** A few hundred records at a time: the text of a hundred thousand would be in memory twice. */
function chunks(records: readonly EncodedRecord[]): EncodedRecord[][] {
  const size = 500;
  return Array.from({ length: Math.ceil(records.length / size) }, (_, at) =>
    records.slice(at * size, (at + 1) * size),
  );
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
    for (const download of downloads) {
      const make = (): Uint8Array => joined(download.text(plan));
      let made: Uint8Array | undefined;
      yield {
        path: download.path,
        make() {
          made = make();
          return made;
        },
      };
      const compressed = compressing(compress, make, made);
      for (const extension of compressedExtensions) {
        const path = `${download.path}.${extension}`;
        copies.push({ path, make: async () => (await compressed())[extension] });
      }
    }
  }
  yield* copies;
}

/** Starts at once with what was just made, otherwise on demand. */
function compressing(
  compress: Compress,
  make: () => Uint8Array,
  made: Uint8Array | undefined,
): () => Promise<CompressedCopies> {
  let compressed = made && compress(made);
  // The error reaches whoever awaits the copies, and there may be nobody.
  compressed?.catch(() => {});
  return () => {
    compressed ??= compress(make());
    return compressed;
  };
}

function joined(texts: Iterable<string>): Uint8Array {
  const encoder = new TextEncoder();
  return concat(Array.from(texts, (text) => encoder.encode(text)));
}
