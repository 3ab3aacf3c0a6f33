/** A fast hash for the ETags of assembled responses; not cryptographic. */

/** 64 bits as text, from two 32-bit multiplicative hashes, the first of them FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
export function quickHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}
