import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt } from '../files.ts';

export type Files = ReadonlyMap<string, string | Uint8Array>;
type Hashes = ReadonlyMap<string, string>;

/** Lists the files of the last update. */
const LISTING = 'files.json';
interface Listing {
  readonly inputs: string;
  readonly files: readonly (readonly [file: string, hash: string])[];
}

export const hash = (body: string | Uint8Array): string =>
  createHash('sha256').update(body).digest('hex');

/** Returns true if the last update had the same inputs and its files are unchanged. */
export function isUpToDate(folder: string, inputs: string): boolean {
  const listing = readListing(folder);
  const present = hashFiles(folder);
  return (
    listing?.inputs === inputs && listing.files.every(([file, own]) => present.get(file) === own)
  );
}

/**
 * Replaces the files that differ, one by one. Obsolete files stay until the next update, because running processes may still
 * load them.
 *
 * @param marker the file that marks a complete folder, written last
 */
export function updateFolder(folder: string, inputs: string, files: Files, marker: string): void {
  const temporary = path.join(folder, `.${process.pid}.tmp`);
  const replace = (file: string, body: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(temporary, body);
    renameSync(temporary, path.join(folder, file));
  };
  const present = hashFiles(folder);
  const previous = readListing(folder)?.files ?? [...present];
  const hashes = [...files].map(([file, body]) => [file, hash(body)] as const);
  for (const file of listChanges(present, new Map(hashes), marker))
    replace(file, files.get(file) ?? '');
  const listing = `${JSON.stringify({ inputs, files: hashes }, null, 1)}\n`;
  if (present.get(LISTING) !== hash(listing)) replace(LISTING, listing);
  removeOthers(folder, present, [...previous, ...hashes]);
}

/** Lists the files to write: new files first, because others may import them. */
export function listChanges(present: Hashes, next: Hashes, marker: string): string[] {
  const rank = (file: string): number => (file === marker ? 2 : present.has(file) ? 1 : 0);
  return [...next.keys()]
    .filter((file) => present.get(file) !== next.get(file))
    .sort((a, b) => rank(a) - rank(b));
}

/** Removes the files that the last update kept for running processes. */
export const removeObsolete = (folder: string): void =>
  removeOthers(folder, hashFiles(folder), readListing(folder)?.files ?? []);

function removeOthers(folder: string, present: Hashes, kept: Listing['files']): void {
  const names = new Set([LISTING, ...kept.map(([file]) => file)]);
  for (const file of present.keys())
    if (!names.has(file)) rmSync(path.join(folder, file), { force: true });
}

/** Hashes all files, except hidden ones. */
const hashFiles = (folder: string): Hashes =>
  new Map(
    (attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true }), 'ENOENT') ?? [])
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith('.'))
      .map((file) => [file.replaceAll(path.sep, '/'), hash(readFileSync(path.join(folder, file)))]),
  );

const readListing = (folder: string) =>
  attempt(() => JSON.parse(readFileSync(path.join(folder, LISTING), 'utf8'))) as
    | Listing
    | undefined;
