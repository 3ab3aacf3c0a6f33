/** The compressor: compresses files in another thread while the main thread writes the rest of the site. */

import { Worker } from 'node:worker_threads';
import type { CompressedExtension } from '../contract/paths.ts';
import { errorCode, OutputError } from '../errors.ts';

export type CompressedCopies = Readonly<Record<CompressedExtension, Uint8Array>>;

/** Compresses a file, by its path. */
export type Compress = (file: string) => Promise<CompressedCopies>;

/**
 * Provides a compressor of a site's files, and ends its thread in any case. `module` is the file with the thread's code;
 * `locate` says where a file of the site is.
 */
export async function withCompressor<T>(
  module: string,
  locate: (file: string) => string,
  use: (compress: Compress) => Promise<T>,
): Promise<T> {
  const compressor = createCompressor(module);
  try {
    return await use((file) => compressor.compress(locate(file)));
  } finally {
    await compressor.end();
  }
}

export function createCompressor(module: string): { readonly compress: Compress; end(): Promise<void> } {
  /** The thread responds in the order of requests. */
  const waiting: { resolve(copies: CompressedCopies): void; reject(cause: Error): void }[] = [];
  let worker: Worker | undefined;

  function start(): Worker {
    // Its garbage is bytes outside V8's heap, which are freed when the young generation is full.
    const started = new Worker(module, { resourceLimits: { maxYoungGenerationSizeMb: 1 } });
    started.on('message', (copies: CompressedCopies) => waiting.shift()?.resolve(copies));
    started.on('error', (cause) => {
      // For example, no thread starts in a working folder that has been deleted.
      const problem = `cannot be compressed (${errorCode(cause) || cause.message})`;
      for (const { reject } of waiting.splice(0)) reject(new OutputError(problem, 'download', { cause }));
    });
    return started;
  }

  return {
    compress(file) {
      worker ??= start();
      worker.postMessage(file);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async end() {
      await worker?.terminate();
    },
  };
}
