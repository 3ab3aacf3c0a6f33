import { hash } from 'node:crypto';
import type { Entries, ManifestEntry } from '../contract/meta.ts';
import { OutputError } from '../errors.ts';
import { readOrThrow, type SiteStorage } from './storage.ts';
import { rejectDamagedText } from './text-damage.ts';

export function entriesByPath({ files }: { files: readonly ManifestEntry[] }): Entries {
  const entries = new Map<string, ManifestEntry>();
  for (const entry of files) entries.set(entry.path, entry);
  return entries;
}

/**
 * Reads a file and compares its hash with the manifest.
 *
 * @throws OutputError if the file is missing, differs, or is not in the manifest
 */
export function readVerified(storage: SiteStorage, entries: Entries, file: string): Buffer {
  const entry = entries.get(file);
  if (!entry) throw new OutputError('is not in the manifest', storage.at(file));
  const body = readOrThrow(storage, file);
  const problem = findMismatch(entry, body);
  if (problem === undefined) return body;
  // What Git or an editor did to a text says more than a wrong hash.
  rejectDamagedText(storage.at(file), body);
  throw new OutputError(problem, storage.at(file), {
    hint: 'gamedata verify <dir> lists every problem.',
  });
}

/**
 * Compares the size and the hash of a file with the manifest.
 *
 * @param verb how the file was obtained: `has` if it was read, `got` if it was fetched
 * @returns the first difference
 */
export function findMismatch(
  entry: ManifestEntry,
  body: Uint8Array,
  verb: 'has' | 'got' = 'has',
): string | undefined {
  const { bytes, sha256 } = entry;
  if (body.length !== bytes) {
    return `${verb} ${body.length} bytes, expected ${bytes}, as in the manifest`;
  }
  const actualHash = hash('sha256', body);
  if (actualHash === sha256) return undefined;
  return `${verb} SHA-256 ${actualHash}, expected ${sha256}, as in the manifest`;
}
