/** What a mirror has to do: which files have to travel, which are there, and which go. */

import { isHostFile } from '../contract/host-files.ts';
import { MANIFEST_FILE, type Manifest, type ManifestEntry } from '../contract/meta.ts';

export interface MirrorPlan {
  /** Who made the site. */
  readonly generator: string;
  /** Every file of the copy but its manifest. */
  readonly files: readonly ManifestEntry[];
  /** Those that have to be fetched; of several with the same bytes the first. */
  readonly fetch: readonly ManifestEntry[];
  /** Paths that the copy has and will not have. */
  readonly remove: readonly string[];
  /** Hosts' configuration: no deployment hands it out, so no copy has it. */
  readonly leftOut: readonly string[];
}

/** The copy as it is. */
export interface Copy {
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  has(entry: ManifestEntry): boolean;
}

export function planMirror({ generator, files: listed }: Manifest, copy: Copy): MirrorPlan {
  const files = listed.filter(({ path }) => !isHostFile(path) && path !== MANIFEST_FILE);
  const changed = files.filter((entry) => !copy.has(entry));
  const paths = new Set(files.map(({ path }) => path));
  return {
    generator,
    files,
    fetch: [...new Map(changed.toReversed().map((entry) => [entry.sha256, entry])).values()].reverse(),
    remove: [...copy.entries.keys()].filter((path) => !paths.has(path)),
    leftOut: listed.map(({ path }) => path).filter(isHostFile),
  };
}
