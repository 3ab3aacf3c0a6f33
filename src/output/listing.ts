/** What one pass over a site's files collects, and the manifest that comes of it. */

import { createHash, hash } from 'node:crypto';
import { FORMAT } from '../contract/format.ts';
import { isSitePath, MAX_FILE_BYTES, type Manifest, type ManifestEntry } from '../contract/meta.ts';
import type { AnyFile, Body } from '../contract/site-file.ts';
import { OutputError } from '../errors.ts';

export interface Listing {
  /** Path → bytes, without files that are part of another one, as most are. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Rejects unsafe paths, and paths that are equal when letter case is ignored. */
  check(path: string): void;
  add(entry: ManifestEntry, file: AnyFile): void;
}

export const repeated = (path: string): OutputError =>
  new OutputError('occurs twice in the site, ignoring letter case', path);

/** Collects the size of each file. */
export function createListing(): Listing {
  const sizes = new Map<string, number>();
  /** The few paths with capitals, in lower case. */
  const folded = new Set<string>();
  return {
    sizes,
    check(path) {
      if (!isSitePath(path)) throw new OutputError('is not a path inside the site', path);
      const key = path.toLowerCase();
      if (sizes.has(path) || sizes.has(key) || folded.has(key)) throw repeated(path);
      if (key !== path) folded.add(key);
    },
    add({ path, bytes }, file) {
      if (bytes > MAX_FILE_BYTES)
        throw new OutputError(`has ${bytes} bytes, expected at most ${MAX_FILE_BYTES}`, path);
      if (!('partOf' in file)) sizes.set(path, bytes);
    },
  };
}

/** The manifest in pieces, as all of it would take more memory than all records. */
export function* manifestText(
  head: Omit<Manifest, 'format' | 'files'>,
  entries: readonly ManifestEntry[],
): Generator<string> {
  const [start = '', end = ''] = JSON.stringify({
    format: FORMAT,
    ...head,
    files: [],
  } satisfies Manifest).split('[]');
  yield `${start}[`;
  for (let at = 0; at < entries.length; at += 500) {
    const some = JSON.stringify(entries.slice(at, at + 500)).slice(1, -1);
    yield at === 0 ? some : `,${some}`;
  }
  yield `]${end}`;
}

export type Measure = Pick<ManifestEntry, 'bytes' | 'sha256'>;

/** Whether the bytes are one piece, and need not be made again to be read again, as those of most files. */
export const isWhole = (pieces: Iterable<Uint8Array>): pieces is [Uint8Array] =>
  Array.isArray(pieces) && pieces.length === 1;

/** Counts and hashes bytes. One piece is hashed at once, which takes half as long. */
export function measure(pieces: Iterable<Uint8Array>, pass?: (piece: Uint8Array) => void): Measure {
  if (isWhole(pieces)) {
    const [piece] = pieces;
    pass?.(piece);
    return { bytes: piece.length, sha256: hash('sha256', piece) };
  }
  const sha256 = createHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    sha256.update(piece);
    bytes += piece.length;
    pass?.(piece);
  }
  return { bytes, sha256: sha256.digest('hex') };
}

/** Encodes one piece at a time, in the same memory: hundreds of thousands of buffers would have to be cleaned up. */
export function createEncoder(): (body: Body) => Iterable<Uint8Array> {
  const encode = createTextEncoder();
  return (body) => {
    if (typeof body === 'string') return [encode(body)];
    if (body instanceof Uint8Array) return [body];
    return {
      *[Symbol.iterator]() {
        for (const text of body) yield encode(text);
      },
    };
  };
}

function createTextEncoder(): (text: string) => Uint8Array {
  const encoder = new TextEncoder();
  const memory = new Uint8Array(256 * 1024);
  // UTF-8 has at most three bytes for a unit of UTF-16.
  return (text) =>
    text.length * 3 > memory.length
      ? Buffer.from(text)
      : memory.subarray(0, encoder.encodeInto(text, memory).written);
}
