/** The packer: hands files to a thread of its own, so that the others are written in the meantime. */

import { Worker } from 'node:worker_threads';
import type { Compress, Twins } from '../contract/downloads.ts';
import { errorCode, OutputError } from '../errors.ts';
import { PACK_MODULE } from '../options.ts';

/** Lends a packer, and ends its thread whatever it is doing. */
export async function withPacker<T>(use: (compress: Compress) => Promise<T>): Promise<T> {
  const packer = createPacker(PACK_MODULE);
  try {
    return await use(packer.compress);
  } finally {
    await packer.end();
  }
}

/** @param module the file of the thread's code */
export function createPacker(module: string): { readonly compress: Compress; end(): Promise<void> } {
  /** The thread answers in the order in which it is asked. */
  const waiting: { resolve(twins: Twins): void; reject(cause: Error): void }[] = [];
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(module);
    started.on('message', (twins: Twins) => waiting.shift()?.resolve(twins));
    started.on('error', (cause) => {
      // No thread begins in a working folder that is gone.
      const error = new OutputError(`cannot be packed (${errorCode(cause) || cause.message})`, 'download', {
        cause,
      });
      for (const { reject } of waiting.splice(0)) reject(error);
    });
    return started;
  }

  return {
    compress(bytes) {
      worker ??= start();
      worker.postMessage(bytes, bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    async end() {
      await worker?.terminate();
    },
  };
}
