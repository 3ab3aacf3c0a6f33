import type { Entries, ManifestEntry } from '../contract/meta.ts';
import { OutputError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { readOrThrow, type SiteStorage } from './storage.ts';
import { rejectDamagedText } from './text-damage.ts';

/** Reported for a file that the manifest does not list. */
export const UNLISTED = 'is not in the manifest';

export function entriesByPath({
  files,
}: {
  files: readonly ManifestEntry[];
}): Entries {
  const entries = new Map<string, ManifestEntry>();
  for (const entry of files) entries.set(entry.path, entry);
  return entries;
}

/**
 * Reads a file and verifies its size and hash against the manifest.
 *
 * @throws OutputError if the file is missing, does not match the manifest, or is not
 * listed in it
 */
export function readVerified(
  storage: SiteStorage,
  entries: Entries,
  file: string,
): Buffer {
  const entry = entries.get(file);
  if (!entry) throw new OutputError(UNLISTED, storage.at(file));
  const body = readOrThrow(storage, file);
  const problem = findMismatch(entry, body);
  if (problem === undefined) return body;
  // If Git or an editor damaged the text, that error is more helpful than a wrong
  // hash.
  rejectDamagedText(storage.at(file), body);
  throw new OutputError(problem, storage.at(file), {
    hint: 'gamedata verify <dir> lists every problem.',
  });
}

/**
 * Compares a file's size and hash with its manifest entry.
 *
 * @param verb the first word of the message: `has` for a file on disk, `got` for a
 * fetched file
 * @returns a description of the first difference, or undefined if the file matches
 */
export function findMismatch(
  entry: ManifestEntry,
  body: Uint8Array,
  verb: 'has' | 'got' = 'has',
): string | undefined {
  if (body.length !== entry.bytes) {
    return `${verb} ${body.length} bytes, expected ${entry.bytes}, as in the manifest`;
  }
  const actualHash = sha256(body);
  if (actualHash === entry.sha256) return undefined;
  return `${verb} SHA-256 ${actualHash}, expected ${entry.sha256}, as in the manifest`;
}
