/** Verifies bulk files: they must contain the records of the list pages, and their compressed copies the same bytes. */

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type CompressedExtension, compressedExtensions } from '../contract/paths.ts';
import { readFile, readPieces } from '../files/folder.ts';
import { createEncoder, type Measure, measure } from '../output/listing.ts';
import { type BulkPlan, downloads } from '../site/downloads.ts';

const decompressors = { gz: gunzipSync, br: brotliDecompressSync } as const satisfies Record<
  CompressedExtension,
  unknown
>;

/** The folder being verified, as far as this is concerned. */
export interface DownloadFolder {
  readonly folder: string;
  readonly files: { has(file: string): boolean };
  report(file: string, problem: string): void;
}

/** @param plan the records of the list pages */
export function checkDownloads({ folder, files, report }: DownloadFolder, plan: BulkPlan): void {
  const encode = createEncoder();

  function check(file: string, isRight: () => boolean, problem: string): void {
    if (!files.has(file)) report(file, 'is missing');
    else if (!isRight()) report(file, problem);
  }

  for (const { path, text } of downloads) {
    // As hashes: files of a hundred thousand records would be in memory several times.
    const expected = measure(encode(text(plan)));
    const isSame = (pieces: Iterable<Uint8Array> | undefined): boolean =>
      pieces !== undefined && measure(pieces).sha256 === expected.sha256;
    check(path, () => isSame(readPieces(folder, path)), 'does not match the list pages');
    for (const extension of compressedExtensions) {
      const file = `${path}.${extension}`;
      const isCopy = (): boolean => isSame(decompress(readFile(folder, file), extension, expected));
      check(file, isCopy, `is not a compressed copy of ${path.replace(/.*\//, '')}`);
    }
  }
}

/** Undefined if the bytes are not compressed, or more than expected is in them. */
function decompress(
  compressed: Buffer,
  extension: CompressedExtension,
  { bytes }: Measure,
): Buffer[] | undefined {
  try {
    // In one piece, with a byte more: a full one is followed by another.
    return [decompressors[extension](compressed, { maxOutputLength: bytes + 1, chunkSize: bytes + 65 })];
  } catch {
    return undefined;
  }
}
