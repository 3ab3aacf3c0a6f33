/** Verifies bulk files: they must contain the records of the list pages, and their compressed copies the same bytes. */

import { hash } from 'node:crypto';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type CompressedExtension, compressedExtensions } from '../contract/paths.ts';
import { readFile, readPieces } from '../files/folder.ts';
import { createEncoder, measure } from '../output/listing.ts';
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

/** The SHA-256 of a file that is as the manifest says, which need not be read again. */
export type HashOf = (file: string) => string | undefined;

/** @param plan the records of the list pages */
export function checkDownloads(
  { folder, files, report }: DownloadFolder,
  plan: BulkPlan,
  hashOf: HashOf,
): void {
  const encode = createEncoder();
  for (const { path: bulk, text } of downloads) {
    // As hashes: files of a hundred thousand records would be in memory several times.
    const { bytes, sha256 } = measure(encode(text(plan)));
    const check = (file: string, find: () => string | undefined, problem: string): void => {
      if (!files.has(file)) report(file, 'is missing');
      else if (find() !== sha256) report(file, problem);
    };
    check(
      bulk,
      () => hashOf(bulk) ?? measure(readPieces(folder, bulk)).sha256,
      'does not match the list pages',
    );
    for (const extension of compressedExtensions) {
      const file = `${bulk}.${extension}`;
      const find = (): string | undefined => hashDecompressed(readFile(folder, file), extension, bytes);
      check(file, find, `is not a compressed copy of ${path.posix.basename(bulk)}`);
    }
  }
}

/** Undefined if the bytes are not compressed, or more than expected is in them. */
function hashDecompressed(
  compressed: Buffer,
  extension: CompressedExtension,
  expected: number,
): string | undefined {
  // In one piece, with room to spare: one that is full is followed by another.
  const sizes = { maxOutputLength: Math.max(1, expected), chunkSize: expected + 64 };
  try {
    return hash('sha256', decompressors[extension](compressed, sizes));
  } catch {
    return undefined;
  }
}
