/** What a copy has to be before it replaces another one: a site, with nearly all of the records that it had. */

import { kindNames, mapKinds } from '../../contract/kinds.ts';
import { type ManifestEntry, metaReader } from '../../contract/meta.ts';
import { parse } from '../../contract/parse.ts';
import { META_FILE, slugsOf } from '../../contract/paths.ts';
import { previousOfPaths, refuseShrinking, type ShrinkOptions } from '../../dataset/guards.ts';
import { DataError } from '../../errors.ts';
import type { Published } from '../published.ts';

export interface Guarded extends Pick<ShrinkOptions, 'maxShrink' | 'allowMissing'> {
  /** The copy as it is. */
  readonly published: Pick<Published, 'entries' | 'meta'>;
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
  const { counts, digest } = parse(metaReader, meta, { record: META_FILE });
  const paths = files.map((entry) => entry.path);
  const slugs = mapKinds((kind) => slugsOf(kind, paths));
  for (const kind of kindNames) {
    if (slugs[kind].length === counts[kind]) continue;
    const problem = `got files of ${slugs[kind].length} records: expected ${counts[kind]}, as in ${META_FILE}`;
    throw new DataError(problem, { kind });
  }
  const records = () => mapKinds((kind) => slugs[kind].map((slug, id) => ({ id, slug, json: '' })));
  const previous = { ...previousOfPaths(published.entries.keys()), digest: published.meta?.digest ?? '' };
  refuseShrinking({ counts, digest, records }, { previous, maxShrink, allowMissing, fallback: undefined });
}
