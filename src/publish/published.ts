import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type BuildInputs,
  type Entries,
  entriesByPath,
  type ManifestEntry,
} from '../contract/meta.ts';
import { parseManifest } from '../contract/own-files.ts';
import { DATA_SET_FILE } from '../contract/paths.ts';
import { parseDescription } from '../data/data-set-folder.ts';
import { describeReadFailure, GamedataError } from '../errors.ts';
import { attempt, explainFailure, readFile, readStatus } from '../files.ts';
import { sha256 } from '../sha256.ts';
import { LOST_FILES_FOLDER, type ManifestFile } from '../site-folder.ts';

/** The site or the data set that is published in a folder. */
export interface Published {
  readonly manifestFile: ManifestFile;
  /** The files listed in the manifest. Empty if nothing is published. */
  readonly entries: Entries;
  /** The paths of files that differ from the manifest. */
  readonly modified: ReadonlySet<string>;
  /** The inputs from which the site was generated. Undefined for a data set. */
  readonly buildInputs?: BuildInputs | undefined;
}

const EMPTY_FOLDER_HINT = 'Choose a new or empty folder.';

/**
 * Reads the manifest in a folder, and finds the listed files that someone has modified or
 * removed since.
 *
 * @throws GamedataError if the folder contains files but no manifest of this name
 */
export function readPublished(
  folder: string,
  manifestFile: ManifestFile,
): Published {
  const namesInFolder = explainFailure('is not a readable folder', folder, () =>
    readdirSync(folder),
  );
  if (namesInFolder.every(isIgnored)) {
    // Nothing is published yet.
    return { manifestFile, entries: new Map(), modified: new Set() };
  }
  const manifestBody = readManifestBody(folder, manifestFile);
  const manifest = parsePublished(folder, manifestFile, manifestBody);
  const { mtimeMs: manifestMs } = statSync(path.join(folder, manifestFile));
  const modified = new Set<string>();
  for (const entry of manifest.files) {
    if (isModified(folder, entry, manifestMs)) modified.add(entry.path);
  }
  return {
    manifestFile,
    entries: entriesByPath(manifest.files),
    modified,
    buildInputs: manifest.buildInputs,
  };
}

/**
 * Returns whether the first build into a folder ignores a file with this name. A new
 * volume contains `lost+found`, and hidden files may be the operator's. If one of them
 * is in the way of a new file, the change is refused later (`assertNothingInTheWay`).
 */
function isIgnored(name: string): boolean {
  return name === LOST_FILES_FOLDER || name.startsWith('.');
}

/** @throws GamedataError if the folder has files but no readable manifest */
function readManifestBody(folder: string, manifestFile: ManifestFile): Buffer {
  try {
    return readFile(folder, manifestFile);
  } catch (cause) {
    const failure = describeReadFailure(cause);
    const problem = `contains files, but its ${manifestFile} ${failure}`;
    throw new GamedataError('output', `${folder}: ${problem}`, {
      cause,
      hint: EMPTY_FOLDER_HINT,
    });
  }
}

interface ParsedManifest {
  readonly files: readonly ManifestEntry[];
  readonly buildInputs: BuildInputs | undefined;
}

/**
 * Parses the manifest of a site or of a data set.
 *
 * @throws GamedataError if the manifest is invalid, or has the format of another
 * version
 */
function parsePublished(
  folder: string,
  manifestFile: ManifestFile,
  body: Buffer,
): ParsedManifest {
  try {
    if (manifestFile === DATA_SET_FILE) {
      const { files } = parseDescription(folder, body);
      return { files, buildInputs: undefined };
    }
    const { files, generator, code, inputs } = parseManifest(
      body,
      path.join(folder, manifestFile),
    );
    return { files, buildInputs: { generator, code, inputs } };
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    const hint = cause.hint ?? EMPTY_FOLDER_HINT;
    const problem = `contains files, but no valid ${manifestFile}: ${cause.message}`;
    throw new GamedataError('output', `${folder}: ${problem}`, { cause, hint });
  }
}

/**
 * Returns whether a file differs from its manifest entry. A build writes the manifest
 * last, so a file of the same size that is not newer counts as unchanged. The content of
 * a newer file is compared, because `git clone` and `unzip` write files in any order.
 *
 * @param manifestMs the mtime of the manifest
 */
function isModified(
  folder: string,
  { path: file, bytes, sha256: listedHash }: ManifestEntry,
  manifestMs: number,
): boolean {
  const status = readStatus(path.join(folder, file));
  if (!status?.isFile() || status.size !== bytes) return true;
  if (status.mtimeMs <= manifestMs) return false;
  const body = attempt(() => readFile(folder, file));
  return body === undefined || sha256(body) !== listedHash;
}
