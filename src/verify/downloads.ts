/** Verifies bulk files: they must contain the records of the list pages, and their compressed copies the same bytes. */

import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type CompressedExtension, compressedExtensions } from '../contract/paths.ts';
import { readFile } from '../files.ts';
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
  for (const { path: bulk, text } of downloads) {
    const expected = Buffer.from(text(plan));
    const check = (file: string, decode: (bytes: Buffer) => Buffer, problem: string): void => {
      if (!files.has(file)) report(file, 'is missing');
      else if (!isSame(() => decode(readFile(folder, file)), expected)) report(file, problem);
    };
    check(bulk, (bytes) => bytes, 'does not match the list pages');
    for (const extension of compressedExtensions) {
      const unpack = (bytes: Buffer): Buffer =>
        decompressors[extension](bytes, { maxOutputLength: Math.max(1, expected.length) });
      check(`${bulk}.${extension}`, unpack, `is not a compressed copy of ${path.posix.basename(bulk)}`);
    }
  }
}

/** What cannot be decompressed, or has more bytes than expected, is not the same. */
function isSame(read: () => Buffer, expected: Buffer): boolean {
  try {
    return read().equals(expected);
  } catch {
    return false;
  }
}
