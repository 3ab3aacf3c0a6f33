/** What a copy has to be before it replaces another one: a site, with nearly all of the records that it had. */

import { kindNames } from '../../contract/kinds.ts';
import { type ManifestEntry, metaReader } from '../../contract/meta.ts';
import { parse } from '../../contract/parse.ts';
import { META_FILE } from '../../contract/paths.ts';
import { recordsOfPaths, refuseShrinking, type ShrinkOptions } from '../../dataset/guards.ts';
import { DataError } from '../../errors.ts';
import type { Published } from '../published.ts';

export interface Guarded extends Pick<ShrinkOptions, 'maxShrink' | 'allowMissing'> {
  /** The copy as it is. */
  readonly published: Pick<Published, 'entries'>;
  /** Its files, as they would be. */
  readonly files: readonly ManifestEntry[];
  /** The content of `meta.json`, as it would be. */
  readonly meta: unknown;
}

/**
 * Fails if a deployment is no site, lacks records that it counts, or has lost many of those that the copy has.
 *
 * @throws DataError or GuardError
 */
export function refuseDamagedSite({ published, files, meta, maxShrink, allowMissing }: Guarded): void {
  const { counts } = parse(metaReader, meta, { record: META_FILE });
  const records = recordsOfPaths(files.map((entry) => entry.path));
  for (const kind of kindNames) {
    if (records[kind].length === counts[kind]) continue;
    const problem = `got files of ${records[kind].length} records: expected ${counts[kind]}, as in ${META_FILE}`;
    throw new DataError(problem, { kind });
  }
  const previous = recordsOfPaths(published.entries.keys());
  refuseShrinking(records, { previous, maxShrink, allowMissing, fallback: undefined });
}
