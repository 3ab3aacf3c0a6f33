/** Bulk files: every record in one request, as lines, as a table and as one JSON, each with its compressed twins. */

import { DOWNLOAD_FOLDER, type LinkBase } from './addresses.ts';
import { csvRow } from './csv.ts';
import type { EncodedRecord, EncodedRecords } from './data-set.ts';
import { type Kind, kindNames } from './kinds.ts';
import { META_FILE } from './meta.ts';
import { servedSchemas } from './served.ts';
import { type DerivedFile, type SiteFile, servedText } from './site.ts';

/** Ending → how the bytes of the file before it are packed. Hosts send twins as they are, without Content-Encoding. */
export const twinEndings = ['gz', 'br'] as const;
export type Twins = Readonly<Record<(typeof twinEndings)[number], Uint8Array>>;

/** Packs a file both ways, the same on every machine. It takes the bytes away: they are not to be used afterwards. */
export type Compress = (bytes: Uint8Array) => Promise<Twins>;

/** What a bulk file is made of. */
export interface BulkPlan {
  readonly records: EncodedRecords;
  readonly linkBase: LinkBase;
}

export interface Download {
  readonly path: string;
  /** One sentence for people. */
  readonly summary: string;
  /** Whether it has every kind. */
  readonly isEverything?: boolean;
  /** The file's text in pieces of moderate size. */
  text(plan: BulkPlan): Generator<string>;
}

/** The names of a kind's fields, in the order in which records have them. */
export const fieldsOf = (kind: Kind): string[] => Object.keys(servedSchemas[kind].shape);

/** The bulk files without their twins. */
export const downloads: readonly Download[] = [
  ...kindNames.flatMap((kind): Download[] => [
    {
      path: `${DOWNLOAD_FOLDER}${kind}.ndjson`,
      summary: `Every ${kind}, one JSON object on each line.`,
      *text({ records, linkBase }) {
        for (const some of pieces(records[kind])) {
          yield some.map((record) => `${servedText(linkBase, kind, record)}\n`).join('');
        }
      },
    },
    {
      path: `${DOWNLOAD_FOLDER}${kind}.csv`,
      summary: `Every ${kind} as a table in UTF-8 (RFC 4180). Null is empty; text that a spreadsheet could take for a formula, or that begins with an apostrophe, has one apostrophe before it.`,
      *text({ records, linkBase }) {
        yield csvRow(fieldsOf(kind));
        for (const some of pieces(records[kind])) {
          yield some.map((record) => tableRow(servedText(linkBase, kind, record))).join('');
        }
      },
    },
  ]),
  {
    path: `${DOWNLOAD_FOLDER}gamedata.json`,
    summary: 'Every record of every kind as one JSON object.',
    isEverything: true,
    *text({ records, linkBase }) {
      let before = '{';
      for (const kind of kindNames) {
        yield `${before}${JSON.stringify(kind)}:[`;
        for (const [at, some] of pieces(records[kind]).entries()) {
          yield (at > 0 ? ',' : '') + some.map((record) => servedText(linkBase, kind, record)).join(',');
        }
        yield ']';
        before = ',';
      }
      yield '}';
    },
  },
];

/** Every file that a site with bulk files has of them. */
export const downloadFiles: readonly string[] = downloads.flatMap(({ path }) => [
  path,
  ...twinEndings.map((ending) => `${path}.${ending}`),
]);

/** A record's text is JSON with its fields in order, and none of them is anything but a number, a text or null. */
const tableRow = (served: string): string => csvRow(Object.values(JSON.parse(served)));

/** Records a few at a time: the text of a hundred thousand at once would be in memory twice. */
function pieces(records: readonly EncodedRecord[]): EncodedRecord[][] {
  const size = 500;
  return Array.from({ length: Math.ceil(records.length / size) }, (_, at) =>
    records.slice(at * size, (at + 1) * size),
  );
}

/**
 * Yields a site with its bulk files: right behind the description, whose digest and address say all that they are made
 * of, so that they are packed elsewhere while the other files are written, and the twins at the very end.
 */
export function* withDownloads(
  site: Iterable<SiteFile>,
  plan: BulkPlan,
  compress: Compress,
): Generator<SiteFile | DerivedFile> {
  const twins: DerivedFile[] = [];
  for (const file of site) {
    yield file;
    if (file.path !== META_FILE) continue;
    for (const download of downloads) {
      const make = (): Uint8Array => joined(download.text(plan));
      let made: Uint8Array | undefined;
      yield {
        path: download.path,
        of: [META_FILE],
        make() {
          made = make();
          return made;
        },
      };
      const packed = packing(compress, make, made);
      for (const ending of twinEndings) {
        const path = `${download.path}.${ending}`;
        twins.push({ path, of: [download.path], make: async () => (await packed())[ending] });
      }
    }
  }
  yield* twins;
}

/** Begins at once with what was just made, and else when it is asked for. */
function packing(
  compress: Compress,
  make: () => Uint8Array,
  made: Uint8Array | undefined,
): () => Promise<Twins> {
  let packed = made && compress(made);
  // Whoever asks gets the error; nobody may ask.
  packed?.catch(() => {});
  return () => {
    packed ??= compress(make());
    return packed;
  };
}

function joined(texts: Iterable<string>): Uint8Array {
  const encoder = new TextEncoder();
  const parts = Array.from(texts, (text) => encoder.encode(text));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
