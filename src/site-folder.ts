/**
 * Reads the folders of sites and of data sets. Every command that only reads a folder
 * uses these functions, which never lock or write.
 *
 * While a committed change is being moved into place, or after the build that moved it
 * was killed, the files on disk are a mixture of the old and the new site. The staged
 * files are then part of the new site, so these functions look for each file among the
 * staged files first, and then in the site. A build may move a file between the two
 * attempts, but only from the first place to the second, so every file is found.
 *
 * If a build commits a change while a caller reads, the caller may get files of both
 * sites. Only the caller can detect this, by checking whether the manifest has changed.
 */

import path from 'node:path';
import { getMaxBytes } from './contract/limits.ts';
import {
  type Entries,
  entriesByPath,
  type Manifest,
  type ManifestEntry,
  type Meta,
} from './contract/meta.ts';
import { parseManifest, parseMeta } from './contract/own-files.ts';
import {
  DATA_FOLDER,
  DATA_SET_FILE,
  MANIFEST_FILE,
  META_FILE,
  STAGED_FOLDER,
} from './contract/paths.ts';
import { type DataSetSource, parseDescription } from './data/data-set-folder.ts';
import { findMismatch } from './data/entries.ts';
import { describeReadFailure, errorCode, GamedataError } from './errors.ts';
import { attempt, isInFolders, readFile, readStatus } from './files.ts';

/**
 * The file that lists all other files in a folder: `manifest.json` for a site, and
 * `dataset.json` for a data set.
 */
export type ManifestFile = typeof MANIFEST_FILE | typeof DATA_SET_FILE;

/** The folder that file systems create at the root of a volume. Only root can read it. */
export const LOST_FILES_FOLDER = 'lost+found';

/**
 * Finds the manifest of a change that a build has committed but not completed. A build first
 * writes new files into a work folder, where they are called staged files. As soon as the
 * new manifest is one of them, the change is committed, and the build moves the files into
 * place. The staged manifest is moved last, which completes the change.
 */
export function findCommittedManifest(folder: string): ManifestFile | undefined {
  for (const file of [MANIFEST_FILE, DATA_SET_FILE] as const) {
    const staged = `${STAGED_FOLDER}/${file}`;
    const status = readStatus(path.join(folder, staged));
    // Ignore a work folder that is a symlink, because builds never create one.
    if (status?.isFile() && isInFolders(folder, staged)) return file;
  }
  return undefined;
}

/**
 * Reads a file. If there is a committed change, its staged files take precedence.
 * Returns undefined if the file does not exist.
 *
 * @throws GamedataError if the file cannot be read
 */
export function readIfExists(folder: string, file: string): Buffer | undefined {
  try {
    return readStaged(folder, file) ?? readFile(folder, file);
  } catch (cause) {
    // ENOTDIR means that a parent folder is a file, so the file does not exist.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(cause))) return undefined;
    const failure = describeReadFailure(cause);
    throw new GamedataError('output', `${path.join(folder, file)}: ${failure}`, {
      cause,
    });
  }
}

/** Reads a staged file. Returns undefined if it does not exist. */
function readStaged(folder: string, file: string): Buffer | undefined {
  if (!findCommittedManifest(folder)) return undefined;
  const staged = `${STAGED_FOLDER}/${file}`;
  return attempt(() => readFile(folder, staged, getMaxBytes(file)), 'ENOENT');
}

/** @throws GamedataError if the file is missing or cannot be read */
function readOrThrow(folder: string, file: string): Buffer {
  const body = readIfExists(folder, file);
  if (body) return body;
  throw new GamedataError('output', `${path.join(folder, file)}: does not exist`);
}

/** A built site in a folder. */
export interface SiteFolder {
  /** The folder as the user named it. */
  readonly name: string;
  readonly manifest: Manifest;
  /** The content of `manifest.json`. */
  readonly manifestBody: Buffer;
  /** The files that the manifest lists, by path. */
  readonly entries: Entries;
  readonly meta: Meta;
  /**
   * Reads a file.
   *
   * @throws GamedataError if the file differs from the manifest or is not listed there
   */
  read(file: string): Buffer;
}

/**
 * Opens a site. Only the manifest and `meta.json` are read.
 *
 * @throws GamedataError if one of them is missing or invalid
 */
export function openSite(folder: string): SiteFolder {
  const manifestBody = readIfExists(folder, MANIFEST_FILE);
  if (!manifestBody) {
    const problem = `is not a gamedata site, because it has no ${MANIFEST_FILE}`;
    throw createMissingError(folder, problem);
  }
  const manifest = parseManifest(manifestBody, path.join(folder, MANIFEST_FILE));
  const entries = entriesByPath(manifest.files);
  const read = (file: string): Buffer => readVerified(folder, entries, file);
  const meta = readMeta(folder, entries);
  return { name: folder, manifest, manifestBody, entries, meta, read };
}

/**
 * Reads `meta.json` of a site whose manifest has been read.
 *
 * @throws GamedataError if it is missing or invalid
 */
export function readMeta(folder: string, entries: Entries): Meta {
  const body = readVerified(folder, entries, META_FILE);
  return parseMeta(body, path.join(folder, META_FILE));
}

/** Creates the error for a folder that contains no site or no data set. */
function createMissingError(folder: string, problem: string): GamedataError {
  if (readStatus(folder))
    return new GamedataError('output', `${folder}: ${problem}`);
  return new GamedataError('output', `${folder}: does not exist, expected a folder`);
}

function readVerified(folder: string, entries: Entries, file: string): Buffer {
  const name = path.join(folder, file);
  const entry = entries.get(file);
  if (!entry) throw new GamedataError('output', `${name}: is not in the manifest`);
  const body = readOrThrow(folder, file);
  const problem = findMismatch(entry, body);
  if (problem === undefined) return body;
  throw new GamedataError('output', `${name}: ${problem}`);
}

/** Reads a file. Returns undefined if it is missing or differs from its entry. */
export function readIfIntact(
  folder: string,
  entry: ManifestEntry,
): Buffer | undefined {
  const body = readIfExists(folder, entry.path);
  if (!body || findMismatch(entry, body) !== undefined) return undefined;
  return body;
}

/**
 * Lists the files in a manifest.
 *
 * @throws GamedataError if the manifest is invalid or in another version's format
 */
export function parseEntries(
  folder: string,
  file: ManifestFile,
  body: Buffer,
): readonly ManifestEntry[] {
  if (file === MANIFEST_FILE) {
    return parseManifest(body, path.join(folder, file)).files;
  }
  return parseDescription(folder, body).files;
}

/** Opens the data set of a site. */
export const openSiteData = (folder: string): DataSetSource => ({
  name: path.join(folder, DATA_FOLDER.slice(0, -1)),
  get: (file) => readIfExists(folder, DATA_FOLDER + file),
});

/**
 * Opens the data set in a folder, which is either a data set folder or a site.
 *
 * @throws GamedataError if the folder is neither
 */
export function openDataSet(folder: string): DataSetSource {
  if (readIfExists(folder, DATA_SET_FILE)) {
    return { name: folder, get: (file) => readIfExists(folder, file) };
  }
  if (readIfExists(folder, DATA_FOLDER + DATA_SET_FILE)) return openSiteData(folder);
  const problem = `contains neither ${DATA_SET_FILE} nor ${DATA_FOLDER}${DATA_SET_FILE}`;
  throw createMissingError(folder, `${problem}, expected a data set or a site`);
}
