/** The published site as a store of data that a deployment need not send again. */

import type { Entries, ManifestEntry } from '../../contract/meta.ts';
import type { AnyRecords } from '../../dataset/data-set.ts';
import type { Previous } from '../../dataset/replacement.ts';
import { ignoreDamage, readVerified } from './read.ts';
import { folderStorage } from './storage.ts';

export interface LocalSite {
  /** The records with this digest; undefined if the published ones have another digest, or are damaged. */
  records(digest: string): AnyRecords | undefined;
  /** The file with this path and hash; undefined if the published one differs. */
  read(entry: ManifestEntry): Buffer | undefined;
}

export function openLocalSite(folder: string, entries: Entries, previous: Previous | undefined): LocalSite {
  const storage = folderStorage(folder);
  let records: AnyRecords | undefined;
  return {
    records(digest) {
      if (previous?.digest !== digest) return undefined;
      records ??= previous.records();
      return records;
    },
    read: ({ path, sha256 }) =>
      entries.get(path)?.sha256 === sha256
        ? ignoreDamage(() => readVerified(storage, entries, path))
        : undefined,
  };
}
