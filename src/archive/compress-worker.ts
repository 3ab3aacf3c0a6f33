/**
 * Compresses files in a thread of its own, with the same bytes everywhere: gzip by fflate, as the output of zlib differs
 * between its builds; Brotli at a quality whose output does not depend on the machine's word size.
 */

import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { brotliCompressSync, constants } from 'node:zlib';
import { gzipSync } from 'fflate';

const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 2;

parentPort?.on('message', (file: string) => {
  const bytes = readFileSync(file);
  // Without a timestamp, which would make the output depend on the clock.
  const gz = gzipSync(bytes, { level: GZIP_LEVEL, mtime: 0 });
  const br = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  parentPort?.postMessage({ gz, br });
});
