import { performance } from 'node:perf_hooks';
import {
  DATA_FOLDER,
  MANIFEST_FILE,
  META_FILE,
  WELL_KNOWN_FOLDER,
} from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { readDataSet } from '../data/data-set-folder.ts';
import { describeReadFailure, GamedataError, OutputError } from '../errors.ts';
import type { FolderEntry } from '../files.ts';
import { isWebServerConfig } from '../hosts/index.ts';
import {
  listStored,
  openSite,
  openSiteData,
  readIfExists,
  type SiteFolder,
} from '../site-folder.ts';
import type { OnVerifyProgress } from './progress.ts';

export interface Problem {
  readonly file: string;
  readonly problem: string;
}

export interface FolderReport {
  /** The number of regular files, including the manifest. */
  readonly files: number;
  readonly counts: Counts;
  readonly problems: readonly Problem[];
}

/** Reported for a file that the manifest does not list. */
export const UNLISTED = 'is not in the manifest';

/**
 * Verifies a site in a folder.
 *
 * If a build commits a change at the same time, a mixture of two sites looks like damage.
 * So if anything is wrong, we check that the manifest is still the same.
 *
 * @throws OutputError if there is no site, or if a build changes it
 */
export async function verifyFolder(
  folder: string,
  onProgress?: OnVerifyProgress,
): Promise<FolderReport> {
  const manifest = readIfExists(folder, MANIFEST_FILE);

  function assertUnchanged(): void {
    const currentManifest = readIfExists(folder, MANIFEST_FILE);
    if (manifest && currentManifest?.equals(manifest)) return;
    if (!manifest && !currentManifest) return;
    throw new OutputError('was changed by a build while it was verified', folder, {
      hint: 'Verify it again when no build is running.',
    });
  }

  try {
    const report = await verifySite(folder, onProgress);
    if (report.problems.length > 0) assertUnchanged();
    return report;
  } catch (error) {
    if (error instanceof GamedataError) assertUnchanged();
    throw error;
  }
}

/**
 * Compares a site with its own manifest. Reads the data set only if all files match,
 * because a damaged file cannot contain valid data.
 */
async function verifySite(
  folder: string,
  onProgress: OnVerifyProgress | undefined,
): Promise<FolderReport> {
  const storedFiles = listStoredFiles(folder);
  const site = openSite(folder);
  const files = new Set<string>();
  const irregular: Problem[] = [];
  const unlisted: Problem[] = [];
  for (const { path: file, isFile } of storedFiles) {
    const isListed = file === MANIFEST_FILE || site.entries.has(file);
    // Other programs, such as certbot, store files in `.well-known/`.
    if (!isListed && file.startsWith(WELL_KNOWN_FOLDER)) continue;
    if (!isFile) {
      irregular.push({ file, problem: 'is not a regular file' });
      continue;
    }
    files.add(file);
    if (!isListed) unlisted.push({ file, problem: UNLISTED });
  }
  const damaged = findDamagedFiles(site, files, onProgress);
  const problems = [...irregular, ...damaged, ...unlisted];
  if (damaged.length === 0) problems.push(...(await findDataProblems(site)));
  return { files: files.size, counts: site.meta.counts, problems };
}

function listStoredFiles(folder: string): FolderEntry[] {
  try {
    return listStored(folder);
  } catch (cause) {
    const failure = describeReadFailure(cause);
    throw new OutputError(`${failure}, expected a site's folder or a URL`, folder, {
      cause,
    });
  }
}

/** Finds files that are missing or do not match the manifest. */
function findDamagedFiles(
  { entries, read }: SiteFolder,
  files: ReadonlySet<string>,
  onProgress: OnVerifyProgress = () => {},
): Problem[] {
  // A site that was unpacked from its archive has no configuration of web servers, so
  // these files are expected only if at least one of them exists.
  const hasServerFiles = [...files].some(isWebServerConfig);
  const total = entries.size;
  const started = performance.now();
  const problems: Problem[] = [];
  let done = 0;
  for (const file of entries.keys()) {
    onProgress({ done, total, requests: undefined, started });
    done++;
    if (files.has(file)) {
      const problem = findProblem(() => read(file));
      if (problem !== undefined) problems.push({ file, problem });
      continue;
    }
    const isExpected = hasServerFiles || !isWebServerConfig(file);
    if (isExpected) problems.push({ file, problem: 'is missing' });
  }
  return problems;
}

function findProblem(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof OutputError) return error.problem;
    throw error;
  }
}

/** Reads the whole data set, and compares its digest with `meta.json`. */
async function findDataProblems({ name, meta }: SiteFolder): Promise<Problem[]> {
  try {
    const dataSet = await readDataSet(openSiteData(name));
    dataSet.readRecords();
    dataSet.readNames();
    dataSet.readPast();
    if (dataSet.digest === meta.digest) return [];
    const problem = `got digest ${meta.digest}, expected ${dataSet.digest}, as in the data set`;
    return [{ file: META_FILE, problem }];
  } catch (error) {
    if (!(error instanceof GamedataError)) throw error;
    return [{ file: DATA_FOLDER, problem: error.message }];
  }
}
