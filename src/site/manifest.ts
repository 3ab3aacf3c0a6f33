import { describeExcess, getMaxBytes } from '../contract/limits.ts';
import {
  type BuildInputs,
  encodeText,
  FORMAT,
  type Manifest,
  type ManifestEntry,
} from '../contract/meta.ts';
import { OutputError } from '../errors.ts';
import { sha256 } from '../sha256.ts';

/**
 * Creates the manifest entry for a file.
 *
 * @throws OutputError if the file is larger than readers accept
 */
export function createEntry(path: string, body: Uint8Array): ManifestEntry {
  const problem = describeExcess(body.length, getMaxBytes(path));
  if (problem !== undefined) throw new OutputError(problem, path);
  return { path, bytes: body.length, sha256: sha256(body) };
}

/**
 * Encodes a site's manifest.
 *
 * @param files the entries of all files, sorted by path
 */
export function encodeManifest(
  buildInputs: BuildInputs,
  files: readonly ManifestEntry[],
): Uint8Array {
  const manifest: Manifest = { format: FORMAT, ...buildInputs, files: [...files] };
  return encodeText(JSON.stringify(manifest));
}
