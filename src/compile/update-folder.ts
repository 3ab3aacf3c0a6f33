import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { attempt } from '../files.ts';
import { sha256 } from '../sha256.ts';

export type Files = ReadonlyMap<string, string | Uint8Array>;
type Hashes = ReadonlyMap<string, string>;

/** The name of the file that lists the files of the last update. */
const LISTING = 'files.json';
interface Listing {
  readonly inputs: string;
  readonly files: readonly (readonly [file: string, hash: string])[];
}

/**
 * Returns whether the last update had the same inputs and all of its files are still
 * unchanged.
 */
export function isUpToDate(folder: string, inputs: string): boolean {
  const listing = readListing(folder);
  if (listing?.inputs !== inputs) return false;
  const presentHashes = hashFiles(folder);
  return listing.files.every(([file, hash]) => presentHashes.get(file) === hash);
}

/**
 * Replaces the files that have changed, one by one. Obsolete files stay until the
 * next update, because running processes may still load them. The listing is written
 * last, so that an interrupted update is never taken for a complete one.
 *
 * @param marker the file that marks a complete folder. It is written after all other
 * files.
 */
export function updateFolder(
  folder: string,
  inputs: string,
  files: Files,
  marker: string,
): void {
  const presentHashes = hashFiles(folder);
  const previousFiles = readListing(folder)?.files ?? [...presentHashes];
  const nextHashes = new Map<string, string>();
  for (const [file, body] of files) nextHashes.set(file, sha256(body));

  for (const file of listChanges(presentHashes, nextHashes, marker)) {
    replaceFile(folder, file, files.get(file) ?? '');
  }
  const nextFiles = [...nextHashes];
  const listing = `${JSON.stringify({ inputs, files: nextFiles }, null, 1)}\n`;
  if (presentHashes.get(LISTING) !== sha256(listing)) {
    replaceFile(folder, LISTING, listing);
  }
  removeOthers(folder, presentHashes, [...previousFiles, ...nextFiles]);
}

/**
 * Writes a temporary file and renames it, so that no process can read an incomplete
 * file.
 */
function replaceFile(folder: string, file: string, body: string | Uint8Array): void {
  const target = path.join(folder, file);
  const temporary = path.join(folder, `.${process.pid}.tmp`);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(temporary, body);
  renameSync(temporary, target);
}

/**
 * Lists the files to write. New files come first, because the changed files may
 * import them. The marker comes last.
 */
export function listChanges(
  present: Hashes,
  next: Hashes,
  marker: string,
): string[] {
  const newFiles: string[] = [];
  const changedFiles: string[] = [];
  for (const [file, hash] of next) {
    const presentHash = present.get(file);
    if (presentHash === hash || file === marker) continue;
    if (presentHash === undefined) newFiles.push(file);
    else changedFiles.push(file);
  }
  const isMarkerChanged =
    next.has(marker) && present.get(marker) !== next.get(marker);
  const lastFiles = isMarkerChanged ? [marker] : [];
  return [...newFiles, ...changedFiles, ...lastFiles];
}

/** Removes the obsolete files that the last update kept for running processes. */
export function removeObsolete(folder: string): void {
  const listedFiles = readListing(folder)?.files ?? [];
  removeOthers(folder, hashFiles(folder), listedFiles);
}

function removeOthers(
  folder: string,
  present: Hashes,
  kept: Listing['files'],
): void {
  const keptNames = new Set([LISTING]);
  for (const [file] of kept) keptNames.add(file);
  for (const file of present.keys()) {
    if (keptNames.has(file)) continue;
    rmSync(path.join(folder, file), { force: true });
  }
}

/**
 * Hashes all files in a folder, except hidden ones. Returns no hashes if the folder
 * does not exist.
 */
function hashFiles(folder: string): Hashes {
  const hashes = new Map<string, string>();
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = attempt(() => readdirSync(folder, options), 'ENOENT') ?? [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    if (!entry.isFile() || name.startsWith('.')) continue;
    hashes.set(name.replaceAll(path.sep, '/'), sha256(readFileSync(file)));
  }
  return hashes;
}

/** Reads the listing. Returns undefined if it is missing or damaged. */
function readListing(folder: string): Listing | undefined {
  return attempt(() => JSON.parse(readFileSync(path.join(folder, LISTING), 'utf8')));
}
