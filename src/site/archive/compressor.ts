/**
 * Compresses files, with the same bytes everywhere: gzip by fflate, as the output of zlib differs between its builds; Brotli
 * at a quality whose output does not depend on the machine's word size.
 */

import { brotliCompressSync, constants } from 'node:zlib';
import { gzipSync } from 'fflate';
import type { CompressedExtension } from '../../contract/paths.ts';

const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 2;

export const compressors: Readonly<Record<CompressedExtension, (body: Uint8Array) => Uint8Array>> = {
  // Without a timestamp, which would make the output depend on the clock.
  gz: (body) => gzipSync(body, { level: GZIP_LEVEL, mtime: 0 }),
  br: (body) =>
    brotliCompressSync(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
};
