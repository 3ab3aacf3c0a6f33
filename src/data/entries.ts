import { describeExcess, getMaxBytes } from '../contract/limits.ts';
import type { ManifestEntry } from '../contract/meta.ts';
import { GamedataError } from '../errors.ts';
import { sha256 } from '../sha256.ts';

/**
 * Creates the manifest entry for a file.
 *
 * @throws GamedataError if the file is larger than readers accept
 */
export function createEntry(path: string, body: Uint8Array): ManifestEntry {
  const problem = describeExcess(body.length, getMaxBytes(path));
  if (problem !== undefined)
    throw new GamedataError('output', `${path}: ${problem}`);
  return { path, bytes: body.length, sha256: sha256(body) };
}

/**
 * Compares a file with its entry in a manifest or in `dataset.json`.
 *
 * @returns a description of the first difference, or undefined if the file matches
 */
export function findMismatch(
  { bytes, sha256: expectedHash }: ManifestEntry,
  body: Uint8Array,
): string | undefined {
  if (body.length !== bytes) {
    return `has ${body.length} bytes, expected ${bytes}, as listed`;
  }
  const hash = sha256(body);
  if (hash === expectedHash) return undefined;
  return `has SHA-256 ${hash}, expected ${expectedHash}, as listed`;
}
