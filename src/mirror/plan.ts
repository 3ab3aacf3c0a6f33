/** What a mirror has to do: which files to download, and which to remove. */

import type { Entries } from '../contract/entries.ts';
import { isHostFile } from '../contract/host-files.ts';
import type { Manifest, ManifestEntry } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';

export interface MirrorPlan {
  /** The version that built the site. */
  readonly generator: string;
  /** Every file of the copy except its manifest. */
  readonly files: readonly ManifestEntry[];
  /** Those to download; of several with the same content only the first. */
  readonly fetch: readonly ManifestEntry[];
  /** Paths that the copy has now and will not have. */
  readonly remove: readonly string[];
  /** Host configuration, which deployments do not serve. */
  readonly excluded: readonly string[];
}

/** The copy as it is. */
export interface Copy {
  readonly entries: Pick<Entries, 'keys'>;
  /** The entry of a file that is as it was published. */
  intact(path: string): ManifestEntry | undefined;
}

/** @param isExcluded of an archive, nothing is */
export function planMirror(
  { generator, files: listed }: Pick<Manifest, 'generator' | 'files'>,
  copy: Copy,
  isExcluded: (path: string) => boolean = isHostFile,
): MirrorPlan {
  const files = listed.filter(({ path }) => !isExcluded(path) && path !== MANIFEST_FILE);
  const changed = files.filter(({ path, sha256 }) => copy.intact(path)?.sha256 !== sha256);
  const gone = new Set(copy.entries.keys());
  for (const { path } of files) gone.delete(path);
  return {
    generator,
    files,
    fetch: [...new Map(changed.toReversed().map((entry) => [entry.sha256, entry])).values()].reverse(),
    remove: [...gone],
    excluded: listed.map(({ path }) => path).filter(isExcluded),
  };
}
