/** Whether a folder may be replaced by what a command makes: a site is no data set, and neither replaces the other. */

import { META_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import type { Output } from '../output/publish.ts';
import { PROVENANCE_FILE } from '../sources/snapshot.ts';

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
