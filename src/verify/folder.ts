import { MANIFEST_FILE, WORK_FOLDER } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { GamedataError } from '../errors.ts';
import { walk } from '../files.ts';
import {
  findCommittedManifest,
  LOST_FILES_FOLDER,
  openSite,
  readIfExists,
  type SiteFolder,
} from '../site-folder.ts';
import { checkOneSite } from './one-site.ts';
import type { OnVerifyProgress } from './progress.ts';

export interface FolderReport {
  /** The number of files that the site should have, including the manifest. */
  readonly files: number;
  readonly counts: Counts;
  /** One message for each file that is missing or changed. */
  readonly problems: readonly string[];
  /**
   * The paths of files that the manifest does not list. They are not problems, because
   * file servers and operating systems add files of their own.
   */
  readonly unlisted: readonly string[];
  /**
   * Whether a build is still moving files into place, or was killed before it finished.
   * If so, the report describes the new site, but web servers may still send files of
   * the old one.
   */
  readonly unfinished: boolean;
}

/**
 * Checks a site that was built into a folder. The site's manifest lists the size and
 * the hash of every other file, so each listed file is read and compared with its
 * entry. Files that are not listed are reported, but not as problems. The manifest is
 * read before and after the check, because the result is useless if a build replaces
 * the manifest in the meantime.
 *
 * @throws GamedataError if there is no site, or if a build changes it during the check
 */
export function verifyFolder(
  folder: string,
  onProgress?: OnVerifyProgress,
): Promise<FolderReport> {
  return checkOneSite(
    folder,
    async () => readIfExists(folder, MANIFEST_FILE),
    async () => {
      const site = openSite(folder);
      // The manifest does not list itself.
      const fileCount = site.entries.size + 1;
      const problems = findProblems(site, onProgress);
      const unlisted = listUnlisted(site);
      // A build moves the new manifest out of the work folder last.
      const waitingManifest = findCommittedManifest(folder);
      return {
        files: fileCount,
        counts: site.meta.counts,
        problems,
        unlisted,
        unfinished: waitingManifest !== undefined,
      };
    },
  );
}

/** Checks every file that the manifest lists. */
function findProblems(
  site: SiteFolder,
  onProgress: OnVerifyProgress = () => {},
): string[] {
  const total = site.manifest.files.length;
  const problems: string[] = [];
  for (const [done, entry] of site.manifest.files.entries()) {
    onProgress({ done, total });
    const problem = findProblem(site, entry.path);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/**
 * Checks a file by reading it, because reading fails if the file is missing or differs
 * from the manifest. The content is not needed. Returns undefined if the file is correct.
 */
function findProblem(site: SiteFolder, file: string): string | undefined {
  try {
    site.read(file);
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return error.message;
    throw error;
  }
}

/** Lists the files that the manifest does not list, except for a build's own files. */
function listUnlisted({ name, entries }: SiteFolder): string[] {
  const unlisted: string[] = [];
  for (const { path } of walk(name, [WORK_FOLDER, LOST_FILES_FOLDER])) {
    const isListed = path === MANIFEST_FILE || entries.has(path);
    if (!isListed) unlisted.push(path);
  }
  return unlisted;
}
