/** What a mirror has to do: which files to download, and which to remove. */

import type { Manifest, ManifestEntry } from '../../contract/meta.ts';
import { isHostFile, MANIFEST_FILE } from '../../contract/paths.ts';
import type { Published } from '../published.ts';

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

/** @param isExcluded of an archive, nothing is */
export function planMirror(
  { generator, files: listed }: Pick<Manifest, 'generator' | 'files'>,
  { entries, touched }: Pick<Published, 'entries' | 'touched'>,
  isExcluded: (path: string) => boolean = isHostFile,
): MirrorPlan {
  const isSame = ({ path, bytes, sha256 }: ManifestEntry): boolean => {
    const own = entries.get(path);
    return own?.sha256 === sha256 && own.bytes === bytes && !touched.has(path);
  };
  const files = listed.filter(({ path }) => path !== MANIFEST_FILE && !isExcluded(path));
  const fetch = new Map<string, ManifestEntry>();
  for (const entry of files) if (!isSame(entry) && !fetch.has(entry.sha256)) fetch.set(entry.sha256, entry);
  const paths = new Set(files.map(({ path }) => path));
  return {
    generator,
    files,
    fetch: [...fetch.values()],
    remove: [...entries.keys()].filter((path) => !paths.has(path)),
    excluded: listed.map(({ path }) => path).filter(isExcluded),
  };
}
