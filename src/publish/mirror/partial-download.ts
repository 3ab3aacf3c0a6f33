/** What a mirror has downloaded and not published yet, by hash: an interrupted run resumes from here. */

import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ManifestEntry } from '../../contract/meta.ts';
import { errorCode, OutputError } from '../../errors.ts';

export interface PartialDownload {
  /** Whether a file is there, complete and intact. */
  has(entry: ManifestEntry): boolean;
  put(entry: ManifestEntry, body: Uint8Array): void;
  read(entry: ManifestEntry): Uint8Array;
  /** Deletes everything, once it is published. */
  clear(): void;
}

/** @throws OutputError if the folder cannot be written */
export function openPartialDownload(folder: string): PartialDownload {
  const fileOf = ({ sha256 }: ManifestEntry): string => path.join(folder, sha256);
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw new OutputError(`cannot be written (${errorCode(cause)})`, folder, { cause });
    }
  };
  attempt(() => mkdirSync(folder, { recursive: true }));
  return {
    has(entry) {
      const file = fileOf(entry);
      if (statSync(file, { throwIfNoEntry: false })?.size !== entry.bytes) return false;
      return hash('sha256', readFileSync(file)) === entry.sha256;
    },
    put: (entry, body) =>
      attempt(() => {
        const file = fileOf(entry);
        writeFileSync(`${file}.part`, body);
        renameSync(`${file}.part`, file);
      }),
    read: (entry) => attempt(() => readFileSync(fileOf(entry))),
    clear: () => attempt(() => rmSync(folder, { recursive: true, force: true })),
  };
}
