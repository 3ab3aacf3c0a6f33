/**
 * Computes SHA-256 digests for every layer, including the pure ones. Web Crypto has no
 * synchronous digest, and an asynchronous digest would make every function that
 * compares data sets asynchronous. Therefore this module imports Node's implementation,
 * which has no side effects. No other pure module imports from Node.
 */

import { createHash, hash } from 'node:crypto';

/**
 * Returns the SHA-256 digest as 64 hexadecimal digits. A string is encoded as UTF-8
 * first.
 */
export const sha256 = (content: string | Uint8Array): string =>
  hash('sha256', content);

/** Computes the digest of content that arrives in pieces. */
export interface Digester {
  update(piece: string | Uint8Array): void;
  /**
   * Returns the digest of all pieces as 64 hexadecimal digits. The digester cannot be
   * used afterwards.
   */
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
