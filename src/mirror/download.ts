/** Downloading: fetches what has to travel, several files at a time, into what has been received. */

import pLimit from 'p-limit';
import type { ManifestEntry } from '../contract/meta.ts';
import type { HttpClient } from '../http/client.ts';
import type { Progress } from '../sources/source.ts';
import { readFile } from './deployment.ts';
import type { Received } from './received.ts';

export interface Travelled {
  /** Files that came over the network, and their bytes when unpacked. */
  files: number;
  bytes: number;
  /** Files that a run which was broken off had received already. */
  resumed: number;
}

export interface DownloadOptions {
  readonly client: HttpClient;
  readonly address: string;
  readonly concurrency: number;
  readonly received: Received;
  /** Counted up as files arrive. */
  readonly travelled: Travelled;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Rejects with the first failure when everything under way has come to its end; what came whole is kept. */
export async function download(entries: readonly ManifestEntry[], options: DownloadOptions): Promise<void> {
  const { client, address, received, travelled, onProgress } = options;
  const missing = entries.filter((entry) => !received.has(entry));
  travelled.resumed = Math.max(travelled.resumed, entries.length - missing.length - travelled.files);
  let done = entries.length - missing.length;
  let failure: unknown;
  const report = (): void =>
    onProgress?.({ done, total: entries.length, requests: { ...client.stats, cacheHits: 0 } });
  report();
  await pLimit(options.concurrency).map(missing, async (entry) => {
    if (failure !== undefined) return;
    try {
      received.put(entry, await readFile(client, address, entry));
      travelled.files++;
      travelled.bytes += entry.bytes;
      done++;
      report();
    } catch (error) {
      failure ??= error;
    }
  });
  if (failure !== undefined) throw failure;
}
