/** Downloads files, several at a time, into a partial download. */

import type { ManifestEntry } from '../../contract/meta.ts';
import { MAX_BODY_BYTES } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';
import { readFile } from './deployment.ts';
import type { PartialDownload } from './partial-download.ts';

export interface Downloaded {
  /** Files that were downloaded, and their decompressed size. */
  files: number;
  bytes: number;
  /** Files that an interrupted run had downloaded before. */
  resumed: number;
}

export interface DownloadOptions {
  readonly client: HttpClient;
  readonly address: string;
  readonly concurrency: number;
  readonly received: PartialDownload;
  /** Updated as files arrive. */
  readonly downloaded: Downloaded;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Rejects with the first failure, after pending downloads have ended; complete files are kept. */
export async function download(entries: readonly ManifestEntry[], options: DownloadOptions): Promise<void> {
  const { client, address, received, downloaded, onProgress } = options;
  const missing = entries.filter((entry) => !received.has(entry));
  downloaded.resumed = Math.max(downloaded.resumed, entries.length - missing.length - downloaded.files);
  let done = entries.length - missing.length;
  let failure: unknown;
  onProgress?.(done, entries.length);
  const load = async (entry: ManifestEntry): Promise<void> => {
    if (failure !== undefined) return;
    try {
      received.put(entry, await readFile(client, address, entry));
      downloaded.files++;
      downloaded.bytes += entry.bytes;
      done++;
      onProgress?.(done, entries.length);
    } catch (error) {
      failure ??= error;
    }
  };
  const loadAll = async (entries: Iterable<ManifestEntry>): Promise<void> => {
    for (const entry of entries) await load(entry);
  };
  // Files are in memory while they are checked, so large ones come one at a time.
  const isLarge = ({ bytes }: ManifestEntry): boolean => bytes > MAX_BODY_BYTES;
  const small = missing.filter((entry) => !isLarge(entry)).values();
  // A promise for each of hundreds of thousands would take more memory than all manifests.
  await Promise.all(Array.from({ length: options.concurrency }, () => loadAll(small)));
  await loadAll(missing.filter(isLarge));
  if (failure !== undefined) throw failure;
}
