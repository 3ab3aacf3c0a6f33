/** The entries of a manifest, and the rules for their paths. */

import { hash } from 'node:crypto';
import { isSitePath, MAX_FILE_BYTES, type ManifestEntry } from '../contract/meta.ts';
import { OutputError } from '../errors.ts';

/** The entry of a file. */
export function entryOf(path: string, body: Uint8Array): ManifestEntry {
  if (body.length > MAX_FILE_BYTES)
    throw new OutputError(`has ${body.length} bytes, expected at most ${MAX_FILE_BYTES}`, path);
  return { path, bytes: body.length, sha256: hash('sha256', body) };
}

/** Rejects unsafe paths, and paths that are equal when letter case is ignored. */
export function createPathCheck(): (path: string) => void {
  const seen = new Set<string>();
  return (path) => {
    if (!isSitePath(path)) throw new OutputError('is not a path inside the site', path);
    const key = path.toLowerCase();
    if (seen.has(key)) throw new OutputError('occurs twice in the site, ignoring letter case', path);
    seen.add(key);
  };
}
