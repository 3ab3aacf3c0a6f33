/** Verifying bulk files: they have to hold the records of the pages, and their twins the very same bytes. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type BulkPlan, downloads, twinEndings } from '../contract/downloads.ts';

/** How the twins are unpacked. */
const unpack = { gz: gunzipSync, br: brotliDecompressSync } as const satisfies Record<
  (typeof twinEndings)[number],
  unknown
>;

/** The part of a folder under examination that this looks at. */
export interface Shelf {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
}

/** @param plan the records as the list pages have them */
export function checkDownloads({ folder, files, report }: Shelf, plan: BulkPlan): void {
  const read = (file: string): Buffer | undefined => {
    if (files.has(file)) return readFileSync(path.join(folder, file));
    report(file, 'is missing');
    return undefined;
  };
  for (const download of downloads) {
    const expected = Buffer.concat(Array.from(download.text(plan), (text) => Buffer.from(text)));
    const bulk = read(download.path);
    if (bulk && !bulk.equals(expected)) report(download.path, 'does not hold the records of the pages');
    for (const ending of twinEndings) {
      const twin = `${download.path}.${ending}`;
      const packed = read(twin);
      if (packed && !unpacked(packed, ending)?.equals(expected))
        report(twin, `is not ${path.posix.basename(download.path)}, packed`);
    }
  }
}

function unpacked(packed: Buffer, ending: keyof typeof unpack): Buffer | undefined {
  try {
    return unpack[ending](packed);
  } catch {
    return undefined;
  }
}
