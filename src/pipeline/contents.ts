import path from 'node:path';
import { META_FILE } from '../contract/paths.ts';
import { OutputError, UsageError } from '../errors.ts';
import { isInside } from '../files.ts';
import type { Output } from '../publish/publish.ts';
import { PROVENANCE_FILE } from '../sources/snapshot.ts';

type Contents = 'site' | 'data set';

/**
 * Rejects an output folder whose contents must not be replaced: a site cannot
 * replace a data set, or the reverse. Also rejects a cache inside the output folder.
 */
export function assertReplaceableContents(
  output: Output,
  wanted: Contents,
  cache: string | undefined,
): void {
  const { folder } = output;
  const published = findContents(output);
  if (published !== undefined && published !== wanted) {
    const option = wanted === 'site' ? 'out' : 'data';
    throw new OutputError(
      `contains a ${published}, expected a ${wanted} or an empty folder`,
      folder,
      { hint: `Choose another folder with --${option}.` },
    );
  }
  if (cache === undefined) return;
  const cacheFolder = path.resolve(cache);
  const outputFolder = path.resolve(folder);
  if (cacheFolder !== outputFolder && !isInside(outputFolder, cacheFolder)) return;
  throw new UsageError(
    `got ${JSON.stringify(cache)}, expected a folder outside ${JSON.stringify(folder)}`,
    { option: '--cache' },
  );
}

/**
 * Finds out whether the folder contains a site or a data set. Returns undefined if
 * the folder is empty or damaged.
 */
function findContents({ published: { entries } }: Output): Contents | undefined {
  const isSite = entries.has(META_FILE);
  const isDataSet = entries.has(PROVENANCE_FILE);
  if (isSite === isDataSet) return undefined;
  return isSite ? 'site' : 'data set';
}
