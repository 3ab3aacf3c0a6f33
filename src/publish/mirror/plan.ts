/** What a mirror has to do: which files to download, and which to remove. */

import type { Entries, Manifest, ManifestEntry } from '../../contract/meta.ts';
import { isHostFile, MANIFEST_FILE } from '../../contract/paths.ts';

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
  readonly entries: Entries;
  /** The entries of files that are not as they were published. */
  findTouched(): ReadonlySet<ManifestEntry>;
}

/** @param isExcluded of an archive, nothing is */
export function planMirror(
  { generator, files: listed }: Pick<Manifest, 'generator' | 'files'>,
  copy: Copy,
  isExcluded: (path: string) => boolean = isHostFile,
): MirrorPlan {
  const { entries } = copy;
  const touched = copy.findTouched();
  const files: ManifestEntry[] = [];
  const fetch = new Map<string, ManifestEntry>();
  const excluded: string[] = [];
  const listedAgain = new Set<string>();
  for (const entry of listed) {
    const { path, sha256 } = entry;
    if (isExcluded(path)) excluded.push(path);
    else if (path !== MANIFEST_FILE) {
      listedAgain.add(path);
      const own = entries.get(path);
      const isSame = own?.sha256 === sha256 && own.bytes === entry.bytes && !touched.has(own);
      // Of the same entry twice, one is enough in memory.
      files.push(isSame ? own : entry);
      if (!isSame && !fetch.has(sha256)) fetch.set(sha256, entry);
    }
  }
  const remove = [...entries.keys()].filter((path) => !listedAgain.has(path));
  return { generator, files, fetch: [...fetch.values()], remove, excluded };
}
