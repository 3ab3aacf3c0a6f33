/** Whether a folder may be replaced by what a command makes: a site is no data set, and neither replaces the other. */

import { show } from '../../contract/parse.ts';
import { META_FILE } from '../../contract/paths.ts';
import { OutputError, UsageError } from '../../errors.ts';
import { isInside } from '../../files.ts';
import type { Output } from '../../publish/publish.ts';
import { workFolders } from '../../publish/work-folders.ts';
import { PROVENANCE_FILE } from '../../sources/snapshot.ts';

const kinds = {
  site: { marker: META_FILE, called: 'a site', option: '--out' },
  dataSet: { marker: PROVENANCE_FILE, called: 'a data set', option: '--data' },
} as const;

/** @throws OutputError if the folder holds the other kind */
export function refuseOtherFolder(
  { name, published: { entries } }: Output,
  wanted: keyof typeof kinds,
): void {
  const other = kinds[wanted === 'site' ? 'dataSet' : 'site'];
  if (!entries.has(other.marker) || entries.has(kinds[wanted].marker)) return;
  throw new OutputError(`holds ${other.called}, which ${kinds[wanted].called} would replace`, name, {
    hint: `Choose another folder with ${kinds[wanted].option}.`,
  });
}

/** @throws UsageError if a folder that is not for the published files is among them */
export function checkOutside(option: string, folder: string, published: string): void {
  const [inner, outer] = [workFolders(folder).out, workFolders(published).out];
  if (inner !== outer && !isInside(outer, inner)) return;
  throw new UsageError(
    `${option}: got ${show(folder)}, inside ${show(published)}: expected another folder, as the next build would find files that are not its own`,
  );
}
