import { performance } from 'node:perf_hooks';
import { type BuiltSite, openSite } from '../built/site.ts';
import { folderStorage } from '../built/site-folder.ts';
import type { SiteStorage, StoredFile } from '../built/storage.ts';
import { readVerified, UNLISTED } from '../built/verified-files.ts';
import { MANIFEST_FILE, META_FILE, WELL_KNOWN_FOLDER } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { summarizeNames } from '../dataset/data-set.ts';
import { describeReadFailure, GamedataError, OutputError } from '../errors.ts';
import { isWebServerConfig } from '../hosts/index.ts';
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

export const verifyFolder = (folder: string): FolderReport =>
  verifySite(folderStorage(folder));

/**
 * Compares a site with its own manifest and digests. First compares the files with
 * the manifest. Checks the data in the files only if all files match, because
 * damaged files cannot contain matching data.
 *
 * @throws OutputError if the site has no valid manifest or `meta.json`
 */
export function verifySite(
  storage: SiteStorage,
  onProgress?: OnVerifyProgress,
): FolderReport {
  const storedFiles = listStoredFiles(storage);
  const site = openSite(storage);
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
  if (damaged.length === 0) problems.push(...findDataProblems(site));
  return { files: files.size, counts: site.meta.counts, problems };
}

function listStoredFiles(storage: SiteStorage): StoredFile[] {
  try {
    return [...storage.list()];
  } catch (cause) {
    const failure = describeReadFailure(cause);
    const problem = `${failure}, expected a site folder, an archive (.tar.gz) or a URL`;
    throw new OutputError(problem, storage.name, { cause });
  }
}

/** Finds files that are missing or do not match the manifest. */
function findDamagedFiles(
  { storage, entries }: BuiltSite,
  files: ReadonlySet<string>,
  onProgress: OnVerifyProgress = () => {},
): Problem[] {
  // Archives omit the configuration files of web servers, so these files are
  // expected only if at least one of them exists.
  const hasServerFiles = [...files].some(isWebServerConfig);
  const total = entries.size;
  const started = performance.now();
  const problems: Problem[] = [];
  let done = 0;
  for (const file of entries.keys()) {
    onProgress({ done, total, requests: undefined, started });
    done++;
    if (files.has(file)) {
      const problem = findProblem(() => readVerified(storage, entries, file));
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

/**
 * Reads all of a site's data, checks the records against the digest in `meta.json`,
 * and checks the names against their summary there.
 */
function findDataProblems(site: BuiltSite): Problem[] {
  const problems: Problem[] = [];

  function attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof GamedataError)) throw error;
      problems.push({ file: META_FILE, problem: error.message });
      return undefined;
    }
  }

  const records = attempt(site.records);
  attempt(site.past.oldSlugs);
  if (records) {
    const names = attempt(() => site.names(records));
    const summary = names && summarizeNames(names);
    if (names && JSON.stringify(summary) !== JSON.stringify(site.meta.names)) {
      problems.push({ file: META_FILE, problem: "does not match the site's names" });
    }
  }
  attempt(site.past.history);
  return problems;
}
