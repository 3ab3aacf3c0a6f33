/** What a mirror has received and not yet published, by its hash: a run that is broken off goes on from here. */

import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ManifestEntry } from '../contract/meta.ts';
import { errorCode, OutputError } from '../errors.ts';

export interface Received {
  /** Whether the bytes of a file are there; what a crash left half written is not. */
  has(entry: ManifestEntry): boolean;
  put(entry: ManifestEntry, body: Uint8Array): void;
  read(entry: ManifestEntry): Uint8Array;
  /** Forgets everything: it is published. */
  clear(): void;
}

/** @throws OutputError where the folder cannot be written */
export function openReceived(folder: string): Received {
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
