/** What a mirror has to do: which files to download, and which to remove; and what a copy has to be before it replaces another one. */

import { kindNames } from '../../contract/kinds.ts';
import { type Manifest, type ManifestEntry, metaReader } from '../../contract/meta.ts';
import { parse } from '../../contract/parse.ts';
import { isHostFile, MANIFEST_FILE, META_FILE } from '../../contract/paths.ts';
import type { Counts } from '../../contract/records.ts';
import * as guards from '../../dataset/guards.ts';
import { DataError } from '../../errors.ts';
import type { Published } from '../published.ts';

export type MirrorPlan = ReturnType<typeof planMirror>;

/** @param isExcluded of an archive, nothing is */
export function planMirror(
  { generator, files: listed }: Pick<Manifest, 'generator' | 'files'>,
  { entries, touched }: Pick<Published, 'entries' | 'touched'>,
  isExcluded: (path: string) => boolean = isHostFile,
) {
  const isSame = ({ path, bytes, sha256 }: ManifestEntry): boolean => {
    const own = entries.get(path);
    return own?.sha256 === sha256 && own.bytes === bytes && !touched.has(path);
  };
  const files = listed.filter(({ path }) => path !== MANIFEST_FILE && !isExcluded(path));
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
    excluded: listed.map(({ path }) => path).filter(isExcluded),
  };
}

export interface Guarded extends Pick<guards.ShrinkOptions, 'maxShrink' | 'allowMissing'> {
  /** The copy as it is. */
  readonly published: Pick<Published, 'entries' | 'meta'>;
  /** Its files, as they would be. */
  readonly files: readonly ManifestEntry[];
  /** The content of `meta.json`, as it would be. */
  readonly meta: unknown;
}

/**
 * Fails if a deployment is no site, lacks records that it counts, or has lost many of those, or of the names, that the copy has.
 *
 * @throws DataError or GuardError
 */
export function refuseDamagedSite({ published, files, meta, maxShrink, allowMissing }: Guarded): void {
  const { counts, names } = parse(metaReader, meta, { record: META_FILE });
  const records = guards.recordsOfPaths(files.map((entry) => entry.path));
  for (const kind of kindNames) {
    if (records[kind].length === counts[kind]) continue;
    const problem = `got files of ${records[kind].length} records: expected ${counts[kind]}, as in ${META_FILE}`;
    throw new DataError(problem, { kind });
  }
  const previous = guards.recordsOfPaths(published.entries.keys());
  guards.refuseShrinking(records, { previous, maxShrink, allowMissing, fallback: undefined });
  // A deployment without any was built like that.
  const languages = Object.entries((names && published.meta?.names?.languages) ?? {});
  const lost = languages.map(([language, own]) => {
    const [before, now] = [totalOf(own), totalOf(names?.languages[language])];
    return { language, before, lost: before - now };
  });
  guards.refuseLostNames(lost, { maxShrink, allowMissing });
}

const totalOf = (counts: Counts | undefined): number =>
  kindNames.reduce((sum, kind) => sum + (counts?.[kind] ?? 0), 0);
