import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { entriesByPath, readManifest, readMeta } from '../built/read.ts';
import { folderStorage, type SiteStorage } from '../built/storage.ts';
import { describeExcess, getMaxBytes } from '../contract/limits.ts';
import {
  type BuildInputs,
  type Entries,
  type Manifest,
  type ManifestEntry,
  type Meta,
  manifestReader,
} from '../contract/meta.ts';
import { parseJson, parseOptional } from '../contract/parse.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, readFile, readStatus } from '../files.ts';
import type { WorkPaths } from './work-paths.ts';

/** The site in a folder. */
export interface Published {
  /** Whether the folder does not exist. */
  readonly isMissing: boolean;
  /** The files in the manifest; empty if nothing is published. */
  readonly entries: Entries;
  /** The paths of files that differ from the manifest. */
  readonly modified: ReadonlySet<string>;
  /** What the site was generated from; undefined if nothing is published. */
  readonly buildInputs?: BuildInputs;
  /** Undefined if nothing is published, or `meta.json` is damaged. */
  readonly meta?: Meta | undefined;
}

/**
 * Reads the published site in a folder.
 *
 * @param byContent whether to hash every file, instead of only those whose size or mtime looks
 * modified
 * @throws OutputError if the folder contains anything but a published site
 */
export function readPublished({ name, out }: WorkPaths, byContent: boolean): Published {
  const isMissing = !existsSync(out);
  const list = (): string[] => (isMissing ? [] : readdirSync(out));
  const isEmpty = explainFailure('is not a readable folder', name, list).length === 0;
  if (isEmpty) return { isMissing, entries: new Map(), modified: new Set() };
  const storage = folderStorage(out, name);
  const { files, ...buildInputs } = readOwnManifest(storage);
  const manifestTime = statSync(path.join(out, MANIFEST_FILE)).mtimeMs;
  const modified = new Set<string>();
  for (const entry of files)
    if (isModified(out, entry, byContent ? -Infinity : manifestTime)) modified.add(entry.path);
  const entries = entriesByPath({ files });
  return { isMissing, entries, modified, buildInputs, meta: readMeta(storage, entries) };
}

function readOwnManifest(storage: SiteStorage): Manifest {
  try {
    return readManifest(storage);
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause.hint !== undefined) throw cause;
    const hint = 'Choose a new or empty folder with --out.';
    throw new OutputError(`contains files, but ${cause.problem}`, storage.name, { cause, hint });
  }
}

/**
 * Whether a file differs from its entry. We never leave a file newer than the manifest, but `git
 * clone` and `unzip` do, so the content of newer files decides.
 *
 * @param since the mtime after which a file of the right size is hashed
 */
function isModified(out: string, { path: file, bytes, sha256 }: ManifestEntry, since: number) {
  const status = readStatus(path.join(out, file));
  if (!status?.isFile() || status.size !== bytes) return true;
  return status.mtimeMs > since && hashFile(out, file) !== sha256;
}

/**
 * Lists the files in the manifest of a folder, or returns undefined if it has no valid manifest.
 */
export function readFileList(site: string): ManifestEntry[] | undefined {
  const read = (): Buffer => readFile(site, MANIFEST_FILE);
  const text = attempt(read, 'ENOENT', 'ENOTDIR', 'not a regular file') ?? '';
  return parseOptional(manifestReader, parseJson(`${text}`))?.files;
}

/** Returns undefined if the file cannot be read. */
export const hashFile = (folder: string, file: string): string | undefined =>
  attempt(() => hash('sha256', readFile(folder, file)));

export function createEntry(path: string, body: Uint8Array): ManifestEntry {
  const problem = describeExcess(body.length, getMaxBytes(path));
  if (problem !== undefined) throw new OutputError(problem, path);
  return { path, bytes: body.length, sha256: hash('sha256', body) };
}
