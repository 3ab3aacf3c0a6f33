/** Downloads files, several at a time, into a partial download. */

import pLimit from 'p-limit';
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
  const { client, address, concurrency, received, downloaded, onProgress } = options;
  const missing = entries.filter((entry) => !received.has(entry));
  let done = entries.length - missing.length;
  downloaded.resumed = Math.max(downloaded.resumed, done - downloaded.files);
  let failure: unknown;
  onProgress?.(done, entries.length);
  const load = async (entry: ManifestEntry): Promise<void> => {
    if (failure !== undefined) return;
    try {
      received.put(entry, await readFile(client, address, entry));
      downloaded.files++;
      downloaded.bytes += entry.bytes;
      onProgress?.(++done, entries.length);
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
