/** The entries of a manifest by path. */

import type { ManifestEntry } from './meta.ts';

export interface Entries extends Pick<ReadonlyMap<string, ManifestEntry>, 'size' | 'has' | 'get' | 'keys'> {
  /** In the manifest's order. */
  readonly files: readonly ManifestEntry[];
  /** Where in the manifest a path is; of one that is listed twice, the last place. */
  place(path: string): number | undefined;
}

/** A set of paths that a manifest lists, in a byte each: one of strings takes more memory than the manifest. */
export function createPathSet({ size, place }: Pick<Entries, 'size' | 'place'>) {
  const marks = new Uint8Array(size);
  return {
    /** Adds nothing that is not listed. */
    add(path: string): void {
      const at = place(path);
      if (at !== undefined) marks[at] = 1;
    },
    has: (path: string): boolean => marks[place(path) ?? -1] === 1,
  };
}

/** The map is made when it is needed: a build that changes nothing asks for two paths of hundreds of thousands. */
export function byPath(files: readonly ManifestEntry[]): Entries {
  let made: Map<string, number> | undefined;
  /** Each is a search of its own. */
  let few = 5;
  function places(): Map<string, number> {
    if (made) return made;
    made = new Map();
    for (const [at, { path }] of files.entries()) made.set(path, at);
    return made;
  }
  const place = (path: string): number | undefined => places().get(path);
  return {
    files,
    size: files.length,
    place,
    has: (path) => (made || --few < 0 ? places().has(path) : files.some((entry) => entry.path === path)),
    get: (path) => files[place(path) ?? -1],
    keys: () => places().keys(),
  };
}
