/** Renamed records: redirects from former paths, as listed in `moved.json`. */

import { MOVED_FILE } from '../../contract/paths.ts';
import type { AssetStore } from './store.ts';

/** Returns the present path of a record by its former file; undefined if there is no redirect. */
export type MovedReader = (file: string) => Promise<string | undefined>;

export function createMovedReader(store: AssetStore): MovedReader {
  let known: { etag: string; table: Readonly<Record<string, unknown>> } | undefined;
  return async (file) => {
    const asset = await store.get(MOVED_FILE);
    if (!asset) return undefined;
    if (known?.etag !== asset.etag)
      known = { etag: asset.etag, table: JSON.parse(new TextDecoder().decode(asset.body)) };
    const path = `/${file.slice(0, file.lastIndexOf('/') + 1)}`;
    const to = Object.hasOwn(known.table, path) ? known.table[path] : undefined;
    return typeof to === 'string' ? to : undefined;
  };
}
