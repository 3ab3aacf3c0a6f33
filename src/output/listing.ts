/** What one pass over a site's files collects, and the manifest that comes of it. */

import { createHash } from 'node:crypto';
import { FORMAT } from '../contract/format.ts';
import { MAX_FILE_BYTES, type Manifest, type ManifestEntry, SITE_PATH } from '../contract/meta.ts';
import { OutputError } from '../errors.ts';

export interface Listing {
  readonly sizes: ReadonlyMap<string, number>;
  add(entry: ManifestEntry): void;
}

/** Collects the size of each file. Rejects unsafe paths, and paths that are equal when letter case is ignored. */
export function createListing(): Listing {
  const sizes = new Map<string, number>();
  /** The few paths with capitals, in lower case. */
  const folded = new Set<string>();
  return {
    sizes,
    add(entry) {
      const { path } = entry;
      if (!SITE_PATH.test(path)) throw new OutputError('is not a path inside the site', path);
      if (entry.bytes > MAX_FILE_BYTES)
        throw new OutputError(`has ${entry.bytes} bytes, expected at most ${MAX_FILE_BYTES}`, path);
      const key = path.toLowerCase();
      if (sizes.has(path) || sizes.has(key) || folded.has(key))
        throw new OutputError('occurs twice in the site, ignoring letter case', path);
      if (key !== path) folded.add(key);
      sizes.set(path, entry.bytes);
    },
  };
}

/** The manifest's bytes. In pieces, as one text of all entries would take more memory than all records. */
export function encodeManifest(head: Omit<Manifest, 'format' | 'files'>, entries: readonly ManifestEntry[]) {
  const [start = '', end = ''] = JSON.stringify({
    format: FORMAT,
    ...head,
    files: [],
  } satisfies Manifest).split('[]');
  const pieces = [Buffer.from(`${start}[`)];
  for (let at = 0; at < entries.length; at += 500) {
    const some = JSON.stringify(entries.slice(at, at + 500)).slice(1, -1);
    pieces.push(Buffer.from(at === 0 ? some : `,${some}`));
  }
  pieces.push(Buffer.from(`]${end}`));
  const sha256 = createHash('sha256');
  for (const piece of pieces) sha256.update(piece);
  return { pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0), sha256: sha256.digest('hex') };
}

/** Encodes one text at a time, in the same memory: hundreds of thousands of buffers would have to be cleaned up. */
export function createEncoder(): (text: string) => Uint8Array {
  const encoder = new TextEncoder();
  const memory = new Uint8Array(256 * 1024);
  // UTF-8 has at most three bytes for a unit of UTF-16.
  return (text) =>
    text.length * 3 > memory.length
      ? Buffer.from(text)
      : memory.subarray(0, encoder.encodeInto(text, memory).written);
}
