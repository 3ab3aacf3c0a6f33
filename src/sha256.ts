/**
 * SHA-256 for every layer, including the pure ones. Web Crypto has no synchronous digest, and an
 * asynchronous one would make every function asynchronous that compares data sets. So only this
 * module imports Node's, which has no effect other than its result.
 */

import { createHash, hash } from 'node:crypto';

/** Returns the 64 hexadecimal digits of a text in UTF-8, or of bytes. */
export const sha256 = (content: string | Uint8Array): string => hash('sha256', content);

/** Digests content that arrives in pieces. */
export interface Digester {
  update(piece: string | Uint8Array): void;
  /** Returns the 64 hexadecimal digits of everything so far. The digester cannot be used again. */
  finish(): string;
}

export function createDigester(): Digester {
  const digest = createHash('sha256');
  return {
    update(piece) {
      digest.update(piece);
    },
    finish: () => digest.digest('hex'),
  };
}
