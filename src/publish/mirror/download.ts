/** What a mirror downloads, several files at a time, is kept by hash until it is published: an interrupted run resumes from here. */

import { hash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import pLimit from 'p-limit';
import type { ManifestEntry } from '../../contract/meta.ts';
import { explained } from '../../files.ts';
import { MAX_BODY_BYTES } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';
import { fetchFile } from '../../sources/site/deployment.ts';
import { holdsLock, stillLocked } from '../lock.ts';
import { give, type Modes } from '../modes.ts';
import type { WorkFolders } from '../work-folders.ts';

export type PartialDownload = ReturnType<typeof openPartialDownload>;

/** @throws OutputError if the folder cannot be written */
export function openPartialDownload(folders: WorkFolders, modes: Modes | undefined) {
  const { received: folder } = folders;
  const fileOf = ({ sha256 }: ManifestEntry): string => path.join(folder, sha256);
  const attempt = <T>(work: () => T): T => explained('cannot be written', folder, work);
  attempt(() => fsExtra.ensureDirSync(folder));
  if (modes) give(folder, modes, true);
  return {
    /** Files that were downloaded, and their decompressed size; and files that an interrupted run had downloaded before. */
    downloaded: { files: 0, bytes: 0, resumed: 0 },
    /** Whether a file is there, complete and intact. */
    has(entry: ManifestEntry): boolean {
      const file = fileOf(entry);
      if (statSync(file, { throwIfNoEntry: false })?.size !== entry.bytes) return false;
      return hash('sha256', readFileSync(file)) === entry.sha256;
    },
    put: (entry: ManifestEntry, body: Uint8Array): void =>
      attempt(() => {
        stillLocked(folders);
        const part = `${fileOf(entry)}.part`;
        writeFileSync(part, body);
        if (modes) give(part, modes, false);
        renameSync(part, fileOf(entry));
      }),
    read: (entry: ManifestEntry): Uint8Array => attempt(() => readFileSync(fileOf(entry))),
    /** Deletes everything, once it is published. */
    clear: (): void => attempt(() => void (holdsLock(folders) && fsExtra.removeSync(folder))),
  };
}

export interface Downloading {
  readonly client: HttpClient;
  readonly address: string;
  readonly concurrency: number;
  readonly received: PartialDownload;
}

/** Rejects with the first failure, after pending downloads have ended; complete files are kept. */
export async function download(
  entries: readonly ManifestEntry[],
  { client, address, concurrency, received }: Downloading,
  report: (done: number, total: number) => void,
): Promise<void> {
  const { downloaded } = received;
  const missing = entries.filter((entry) => !received.has(entry));
  let done = entries.length - missing.length;
  downloaded.resumed = Math.max(downloaded.resumed, done - downloaded.files);
  let failure: unknown;
  report(done, entries.length);
  const load = async (entry: ManifestEntry): Promise<void> => {
    if (failure !== undefined) return;
    try {
      received.put(entry, await fetchFile(client, address, entry));
      downloaded.files++;
      downloaded.bytes += entry.bytes;
      report(++done, entries.length);
    } catch (error) {
      failure ??= error;
    }
  };
  // Files are in memory while they are checked, so large ones come one at a time.
  const isLarge = ({ bytes }: ManifestEntry): boolean => bytes > MAX_BODY_BYTES;
  const [several, single] = [pLimit(concurrency), pLimit(1)];
  await Promise.all(missing.map((entry) => (isLarge(entry) ? single : several)(load, entry)));
  if (failure !== undefined) throw failure;
}
