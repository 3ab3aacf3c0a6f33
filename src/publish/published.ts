import { readdirSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { OtherFormatError, readManifest } from '../built/own-files.ts';
import { readPublishedMeta } from '../built/previous-site.ts';
import { folderStorage, LOST_FILES_FOLDER } from '../built/site-folder.ts';
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

/** The published site in a folder. */
export interface Published {
  /** The files listed in the manifest. Empty if nothing is published. */
  readonly entries: Entries;
  /** The paths of files that differ from the manifest. */
  readonly modified: ReadonlySet<string>;
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
 * @throws OutputError if the folder contains anything other than a published site
 */
export function readPublished(folder: string): Published {
  const names = explainFailure('is not a readable folder', folder, () =>
    readdirSync(folder),
  );
  if (names.every(isIgnored)) return { entries: new Map(), modified: new Set() };
  const { files, ...buildInputs } = readOwnManifest(folder);
  const entries = entriesByPath({ files });
  const manifestTime = statSync(path.join(folder, MANIFEST_FILE)).mtimeMs;
  const modified = new Set<string>();
  for (const entry of files) {
    const status = readStatus(path.join(folder, entry.path));
    if (isModified(folder, entry, status, manifestTime)) modified.add(entry.path);
  }
  const meta = readPublishedMeta(folderStorage(folder), entries);
  return { entries, modified, buildInputs, meta };
}

/**
 * Returns whether a first build accepts a name in its folder. A new volume contains
 * `lost+found`, and names that start with a dot are not part of a site.
 */
function isIgnored(name: string): boolean {
  return name === LOST_FILES_FOLDER || name.startsWith('.');
}

/**
 * Reads the manifest. If the folder contains other files instead of a site, the
 * error suggests choosing another folder.
 */
function readOwnManifest(folder: string): Manifest {
  try {
    return readManifest(folderStorage(folder));
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause instanceof OtherFormatError) {
      throw cause;
    }
    const problem = `contains files, but ${cause.problem}`;
    const hint = 'Choose a new or empty folder.';
    throw new OutputError(problem, folder, { cause, hint });
  }
}

/**
 * Returns whether a file differs from its manifest entry. A build never leaves a
 * file newer than the manifest, but `git clone` and `unzip` do, so we compare the
 * content of newer files.
 */
function isModified(
  folder: string,
  { path: file, bytes, sha256: listedHash }: ManifestEntry,
  status: Stats | undefined,
  manifestTime: number,
): boolean {
  if (!status?.isFile() || status.size !== bytes) return true;
  if (status.mtimeMs <= manifestTime) return false;
  const body = attempt(() => readFile(folder, file));
  return body === undefined || sha256(body) !== listedHash;
}
