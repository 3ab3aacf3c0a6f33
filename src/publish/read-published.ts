import { existsSync, readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import {
  OtherFormatError,
  parseManifest,
  readManifest,
} from '../built/own-files.ts';
import { readPublishedMeta } from '../built/previous-site.ts';
import { folderStorage, type SiteStorage } from '../built/storage.ts';
import { entriesByPath } from '../built/verified-files.ts';
import type {
  BuildInputs,
  Entries,
  Manifest,
  ManifestEntry,
  Meta,
} from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, readFile, readStatus } from '../files.ts';
import { sha256 } from '../sha256.ts';
import type { LockedPaths } from './lock.ts';
import { hasPermissions } from './permissions.ts';

/** The published site in a folder. */
export interface Published {
  /** True if the folder does not exist. */
  readonly isMissing: boolean;
  /** The files listed in the manifest. Empty if nothing is published. */
  readonly entries: Entries;
  /** The paths of files that differ from the manifest. */
  readonly modified: ReadonlySet<string>;
  /**
   * The paths of files whose mode or group differs from the permissions that a build
   * sets. We find them while we look for modified files, because reading the status
   * of thousands of files takes a noticeable part of a build.
   */
  readonly wrongPermissions: ReadonlySet<string>;
  /**
   * The inputs that the site was generated from. Undefined if nothing is published.
   */
  readonly buildInputs?: BuildInputs;
  /** Undefined if nothing is published or if `meta.json` is damaged. */
  readonly meta?: Meta | undefined;
}

/**
 * Reads the published site in a folder.
 *
 * @param byContent whether to hash every file instead of only files whose size or
 * mtime suggests a modification
 * @throws OutputError if the folder contains anything other than a published site
 */
export function readPublished(
  { name, out, permissions }: LockedPaths,
  byContent: boolean,
): Published {
  const isMissing = !existsSync(out);
  const names = isMissing ? [] : listNames(name, out);
  if (names.length === 0) {
    const none = new Set<string>();
    return { isMissing, entries: new Map(), modified: none, wrongPermissions: none };
  }
  const storage = folderStorage(out, name);
  const { files, ...buildInputs } = readOwnManifest(storage);
  const manifestTime = statSync(path.join(out, MANIFEST_FILE)).mtimeMs;
  // Every file is newer than -Infinity, so every file is hashed.
  const hashedSince = byContent ? -Infinity : manifestTime;
  const modified = new Set<string>();
  const wrongPermissions = new Set<string>();
  for (const entry of files) {
    const status = readStatus(path.join(out, entry.path));
    if (isModified(out, entry, { status, hashedSince })) modified.add(entry.path);
    const isWrong = status !== undefined && !hasPermissions(status, permissions);
    if (isWrong) wrongPermissions.add(entry.path);
  }
  const entries = entriesByPath({ files });
  const meta = readPublishedMeta(storage, entries);
  return { isMissing, entries, modified, wrongPermissions, buildInputs, meta };
}

const listNames = (name: string, out: string): string[] =>
  explainFailure('is not a readable folder', name, () => readdirSync(out));

/**
 * Reads the manifest. If the folder contains other files instead of a site, the
 * error suggests choosing another folder.
 */
function readOwnManifest(storage: SiteStorage): Manifest {
  try {
    return readManifest(storage);
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause.hint !== undefined) throw cause;
    const problem = `contains files, but ${cause.problem}`;
    const hint = 'Choose a new or empty folder.';
    throw new OutputError(problem, storage.name, { cause, hint });
  }
}

interface FileState {
  /** Undefined if the file does not exist. */
  readonly status: Stats | undefined;
  /** The mtime after which a file is hashed even if its size is right. */
  readonly hashedSince: number;
}

/**
 * Returns whether a file differs from its manifest entry. A build never leaves a
 * file newer than the manifest, but `git clone` and `unzip` do, so we compare the
 * content of newer files.
 */
function isModified(
  out: string,
  entry: ManifestEntry,
  { status, hashedSince }: FileState,
): boolean {
  if (!status?.isFile() || status.size !== entry.bytes) return true;
  if (status.mtimeMs <= hashedSince) return false;
  return hashFile(out, entry.path) !== entry.sha256;
}

/**
 * Lists the files in a folder's manifest, or returns undefined if there is no valid
 * manifest.
 *
 * @throws OutputError if another version of gamedata wrote the manifest. Such a
 * manifest is not damaged, so the change that it belongs to must not be discarded.
 */
export function readFileList(folder: string): readonly ManifestEntry[] | undefined {
  const storage = folderStorage(folder);
  const read = (): Buffer => storage.read(MANIFEST_FILE);
  const body = attempt(read, 'ENOENT', 'ENOTDIR', 'not a regular file');
  if (body === undefined) return undefined;
  try {
    return parseManifest(storage, body).files;
  } catch (error) {
    if (error instanceof OtherFormatError) throw error;
    return undefined;
  }
}

/** Returns the SHA-256 of a file, or undefined if the file cannot be read. */
export const hashFile = (folder: string, file: string): string | undefined =>
  attempt(() => sha256(readFile(folder, file)));
