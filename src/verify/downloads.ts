/** Verifies bulk files: they must contain the records of the list pages, and their compressed copies the same bytes. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type CompressedExtension, compressedExtensions } from '../contract/paths.ts';
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
  const read = (file: string): Buffer | undefined => {
    if (files.has(file)) return readFileSync(path.join(folder, file));
    report(file, 'is missing');
    return undefined;
  };
  for (const download of downloads) {
    const expected = Buffer.concat(Array.from(download.text(plan), (text) => Buffer.from(text)));
    const bulk = read(download.path);
    if (bulk && !bulk.equals(expected)) report(download.path, 'does not match the list pages');
    for (const extension of compressedExtensions) {
      const file = `${download.path}.${extension}`;
      const compressed = read(file);
      if (compressed && !decompress(compressed, extension, expected.length)?.equals(expected))
        report(file, `is not a compressed copy of ${path.posix.basename(download.path)}`);
    }
  }
}

/** Undefined if the bytes are not compressed, or more than expected is in them. */
function decompress(bytes: Buffer, extension: CompressedExtension, expected: number): Buffer | undefined {
  try {
    return decompressors[extension](bytes, { maxOutputLength: Math.max(1, expected) });
  } catch {
    return undefined;
  }
}
