/** Whether a folder may be read or replaced. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { formatValue } from '../contract/parse.ts';
import { META_FILE } from '../contract/paths.ts';
import { OutputError, UsageError } from '../errors.ts';
import { attempt, isInside } from '../files.ts';
import { type Output, waitUntilStable } from '../publish/publish.ts';
import { resolveWorkPaths } from '../publish/work-paths.ts';
import { isArchive } from '../sources/site/storage.ts';
import { PROVENANCE_FILE } from '../sources/snapshot.ts';
import { isUrl } from '../sources/source.ts';

/**
 * Waits until a folder that is read is not between two sites. Archives and deployments never are, and the folder that is going to be
 * changed is recovered first.
 *
 * @throws OutputError if it still is after a second, or a file is in its place
 */
export async function settledSource(target: string, out?: string): Promise<void> {
  if (isUrl(target) || isArchive(target)) return;
  if (attempt(() => statSync(target))?.isDirectory() === false)
    throw new OutputError(
      'is not a folder of a site or a snapshot: of archives, only a .tar.gz is read',
      target,
    );
  if (out === undefined || path.resolve(target) !== path.resolve(out)) await waitUntilStable(target);
}

const kinds = {
  site: { marker: META_FILE, called: 'a site', option: '--out' },
  dataSet: { marker: PROVENANCE_FILE, called: 'a data set', option: '--data' },
} as const;

/**
 * Checks that a folder may be replaced: a site and a data set do not replace each other, and the cache is not inside either.
 *
 * @throws OutputError or UsageError
 */
export function checkFolders(
  { name, published: { entries } }: Output,
  wanted: keyof typeof kinds,
  { cacheFolder }: { cacheFolder?: string | undefined },
): void {
  const other = kinds[wanted === 'site' ? 'dataSet' : 'site'];
  if (entries.has(other.marker) && !entries.has(kinds[wanted].marker))
    throw new OutputError(`holds ${other.called}, which ${kinds[wanted].called} would replace`, name, {
      hint: `Choose another folder with ${kinds[wanted].option}.`,
    });
  if (cacheFolder !== undefined) checkOutside('--cache', cacheFolder, name);
}

/** @throws UsageError if a folder that is not for the published files is among them */
export function checkOutside(option: string, folder: string, published: string): void {
  const [inner, outer] = [resolveWorkPaths(folder).out, resolveWorkPaths(published).out];
  if (inner !== outer && !isInside(outer, inner)) return;
  throw new UsageError(
    `${option}: got ${formatValue(folder)}, inside ${formatValue(published)}: expected another folder, as the next build would find files that are not its own`,
  );
}
