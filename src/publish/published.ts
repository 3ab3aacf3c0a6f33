import { readdirSync, type Stats, statSync } from 'node:fs';
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
  /** The inputs that a site was generated from. A data set has none. */
  readonly buildInputs?: BuildInputs | undefined;
}

const EMPTY_FOLDER_HINT = 'Choose a new or empty folder.';

/**
 * Reads what is published in a folder.
 *
 * @throws GamedataError if the folder contains files but no manifest of this name
 */
export function readPublished(
  folder: string,
  manifestFile: ManifestFile,
): Published {
  const names = explainFailure('is not a readable folder', folder, () =>
    readdirSync(folder),
  );
  if (names.every(isIgnored)) {
    return { manifestFile, entries: new Map(), modified: new Set() };
  }
  const manifest = readManifestBody(folder, manifestFile);
  const { files, buildInputs } = parsePublished(folder, manifestFile, manifest);
  const manifestTime = statSync(path.join(folder, manifestFile)).mtimeMs;
  const modified = new Set<string>();
  for (const entry of files) {
    const status = readStatus(path.join(folder, entry.path));
    if (isModified(folder, entry, status, manifestTime)) modified.add(entry.path);
  }
  return { manifestFile, entries: entriesByPath(files), modified, buildInputs };
}

/**
 * Returns whether a first build accepts a name in its folder. A new volume contains
 * `lost+found`, and hidden files may be the operator's. If one of them is in the way of a
 * new file, the change is refused later (`assertApplicable`).
 */
function isIgnored(name: string): boolean {
  return name === LOST_FILES_FOLDER || name.startsWith('.');
}

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
