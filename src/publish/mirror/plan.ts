/** What a mirror has to do: which files to download, and which to remove; and what a copy has to be before it replaces another one. */

import { kindNames } from '../../contract/kinds.ts';
import type { Manifest, ManifestEntry } from '../../contract/meta.ts';
import { isHostFile, MANIFEST_FILE, META_FILE } from '../../contract/paths.ts';
import { noFormer } from '../../dataset/former.ts';
import { type GuardOptions, guard, recordsOfPaths } from '../../dataset/guards.ts';
import type { Previous } from '../../dataset/history.ts';
import { DataError } from '../../errors.ts';
import { changesOfNames } from '../../sources/capture.ts';
import type { Site } from '../../sources/site/read.ts';
import type { Published } from '../published.ts';

export type MirrorPlan = ReturnType<typeof planMirror>;

export function planMirror(
  { generator, files: listed }: Pick<Manifest, 'generator' | 'files'>,
  { entries, touched }: Pick<Published, 'entries' | 'touched'>,
) {
  const isSame = ({ path, bytes, sha256 }: ManifestEntry): boolean => {
    const own = entries.get(path);
    return own?.sha256 === sha256 && own.bytes === bytes && !touched.has(path);
  };
  const files = listed.filter(({ path }) => path !== MANIFEST_FILE && !isHostFile(path));
  const fetch = new Map<string, ManifestEntry>();
  for (const entry of files) if (!isSame(entry) && !fetch.has(entry.sha256)) fetch.set(entry.sha256, entry);
  const paths = new Set(files.map(({ path }) => path));
  return {
    /** The version that built the site. */
    generator,
    /** Every file of the copy except its manifest. */
    files,
    /** Those to download; of several with the same content only the first. */
    fetch: [...fetch.values()],
    /** Paths that the copy has now and will not have. */
    remove: [...entries.keys()].filter((path) => !paths.has(path)),
    /** Host configuration, which deployments do not serve. */
    excluded: listed.map(({ path }) => path).filter(isHostFile),
  };
}

/**
 * Fails if a deployment is no site, lacks files of records, or must not replace the copy. It is copied faithfully: redirects that it
 * has lost are among the losses.
 *
 * @param previous the copy as it is; undefined if there is none
 * @throws OutputError, DataError or GuardError
 */
export function guardCopy(site: Site, previous: Previous | undefined, options: GuardOptions) {
  const { meta, entries } = site;
  const records = site.records();
  const files = recordsOfPaths(entries.keys());
  for (const kind of kindNames) {
    const slugs = new Set(files[kind].map(({ slug }) => slug));
    if (slugs.size === meta.counts[kind] && records[kind].every(({ slug }) => slugs.has(slug))) continue;
    const problem = `got files of ${slugs.size} records: expected ${meta.counts[kind]}, as in ${META_FILE}`;
    throw new DataError(problem, { kind });
  }
  const before = previous?.digest === meta.digest ? records : previous?.records();
  // A deployment without any was built like that.
  const own = { records, summary: meta.names, names: site.names };
  const nameChanges = meta.names ? changesOfNames(own, previous, before) : [];
  const former = site.former(() => records);
  return guard(
    previous && {
      ...previous,
      records: before ?? previous.listed?.() ?? records,
      former: previous.readableFormer?.() ?? noFormer,
      names: nameChanges,
      baseUrl: previous.base_url,
    },
    { ...meta, records, former, baseUrl: meta.base_url },
    { ...options, mayLoseRedirects: true },
  );
}
