import { performance } from 'node:perf_hooks';
import { findMismatch, openSite, type Site } from '../built/read.ts';
import { folderStorage, readOrThrow, type SiteStorage } from '../built/storage.ts';
import { MANIFEST_FILE, META_FILE, WELL_KNOWN_FOLDER } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { summarizeNames } from '../dataset/data-set.ts';
import { errorCode, GamedataError, OutputError } from '../errors.ts';
import { isWebServerConfig } from '../hosts/index.ts';
import type { OnVerifyProgress } from './progress.ts';

export interface Problem {
  readonly file: string;
  readonly problem: string;
}

export interface FolderReport {
  readonly files: number;
  readonly counts: Counts;
  readonly problems: readonly Problem[];
}

export const verifyFolder = (folder: string): FolderReport => verifySite(folderStorage(folder));

/**
 * Compares a site with its own manifest and digests.
 *
 * @throws OutputError if the site has no valid manifest or description
 */
export function verifySite(storage: SiteStorage, onProgress?: OnVerifyProgress): FolderReport {
  const present = listFiles(storage);
  const site = openSite(storage);
  // Other programs, such as certbot, write below `.well-known/`.
  const isForeign = (file: string): boolean =>
    file.startsWith(WELL_KNOWN_FOLDER) && !site.entries.has(file);
  const found = present.filter(({ path }) => !isForeign(path));
  const files = new Set(found.filter(({ isFile }) => isFile).map(({ path }) => path));
  const irregular = found.filter(({ isFile }) => !isFile);
  const damaged = findDamagedFiles(site, files, onProgress);
  const unknown = [...files].filter((file) => file !== MANIFEST_FILE && !site.entries.has(file));
  return {
    files: files.size,
    counts: site.meta.counts,
    problems: [
      ...irregular.map(({ path: file }) => ({ file, problem: 'is not a regular file' })),
      ...damaged,
      ...unknown.map((file) => ({ file, problem: 'is not in the manifest' })),
      // Damaged files cannot contain matching data.
      ...(damaged.length > 0 ? [] : findDataProblems(site)),
    ],
  };
}

function listFiles(storage: SiteStorage) {
  try {
    return [...storage.list()];
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected a site folder, an archive (.tar.gz) or a URL`;
    throw new OutputError(problem, storage.name, { cause });
  }
}

function findDamagedFiles(
  { storage, entries }: Site,
  files: ReadonlySet<string>,
  onProgress: OnVerifyProgress = () => {},
): Problem[] {
  // Archives do not contain web server configuration.
  const hasServerFiles = [...files].some(isWebServerConfig);
  const total = entries.size;
  const started = performance.now();
  const problems: Problem[] = [];
  for (const [done, entry] of [...entries.values()].entries()) {
    onProgress({ done, total, requests: undefined, started });
    const { path: file } = entry;
    if (files.has(file)) {
      const problem = findMismatch(entry, readOrThrow(storage, file));
      if (problem !== undefined) problems.push({ file, problem });
    } else if (hasServerFiles || !isWebServerConfig(file)) {
      problems.push({ file, problem: 'is missing' });
    }
  }
  return problems;
}

function findDataProblems({ meta, ...data }: Site): Problem[] {
  const problems: Problem[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof GamedataError)) throw error;
      problems.push({ file: META_FILE, problem: error.message });
      return undefined;
    }
  };
  const records = attempt(data.records);
  attempt(data.oldSlugs);
  const names = records && attempt(() => data.names(records));
  if (names && JSON.stringify(summarizeNames(names)) !== JSON.stringify(meta.names))
    problems.push({ file: META_FILE, problem: "does not match the site's names" });
  attempt(data.history);
  return problems;
}
