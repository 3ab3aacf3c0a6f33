/** Bulk files: every record in one request, as NDJSON, CSV and JSON, each with compressed copies. */

import { brotliCompressSync, constants } from 'node:zlib';
import { gzipSync } from 'fflate';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { SiteFile } from '../contract/meta.ts';
import { type Names, ownNameOf } from '../contract/names.ts';
import {
  type CompressedExtension,
  compressedExtensions,
  csvFile,
  EVERYTHING_FILE,
  NAMES_INDEX_FILE,
  namesFile,
  ndjsonFile,
} from '../contract/paths.ts';
import { servedSchemas } from '../contract/served.ts';
import type { ServedRecords } from '../dataset/data-set.ts';

export interface Download {
  readonly path: string;
  text(served: ServedRecords): string;
}

/** The bulk files without their compressed copies. */
export const downloads: readonly Download[] = [
  ...kindNames.flatMap((kind): Download[] => [
    {
      path: ndjsonFile(kind),
      text: (served) => served[kind].map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
    {
      path: csvFile(kind),
      text: (served) =>
        csvRow(fieldsOf(kind)) + served[kind].map((record) => csvRow(Object.values(record))).join(''),
    },
  ]),
  {
    path: EVERYTHING_FILE,
    text: (served) => JSON.stringify(served),
  },
];

/** The names of a kind's fields, in the order of records. */
export const fieldsOf = (kind: Kind): string[] => Object.keys(servedSchemas[kind].shape);

/**
 * The same bytes everywhere: gzip by fflate, as the output of zlib differs between its builds; Brotli at a quality whose output
 * does not depend on the machine's word size.
 */
export const compressors: Readonly<Record<CompressedExtension, (body: Uint8Array) => Uint8Array>> = {
  // Without a timestamp, which would make the output depend on the clock.
  gz: (body) => gzipSync(body, { level: 6, mtime: 0 }),
  br: (body) =>
    brotliCompressSync(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
};

/** Makes the bulk files, each with its compressed copies. */
export const downloadFiles = (served: ServedRecords): SiteFile[] =>
  downloads.flatMap(({ path, text }) => {
    const body = Buffer.from(text(served));
    const copies = compressedExtensions.map((extension) => ({
      path: `${path}.${extension}`,
      body: compressors[extension](body),
    }));
    return [{ path, body }, ...copies];
  });

/** The names in every language, and the list of these; no files if no names are known. */
export function namesFiles(names: readonly Names[], baseUrl: string): SiteFile[] {
  if (names.length === 0) return [];
  const languages = names.map(({ language, ...own }) => ({
    language,
    name: ownNameOf(language),
    ...mapKinds((kind) => Object.keys(own[kind]).length),
    url: `${baseUrl}/${namesFile(language)}`,
  }));
  return [
    { path: NAMES_INDEX_FILE, body: JSON.stringify({ languages }) },
    ...names.map((own) => ({ path: namesFile(own.language), body: Buffer.from(JSON.stringify(own)) })),
  ];
}

/** A cell; null is empty. */
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
