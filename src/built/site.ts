import type { Entries, Manifest, Meta } from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import type { AnyRecords } from '../dataset/data-set.ts';
import type { AddressedRecords } from '../dataset/old-slugs.ts';
import { readManifest, readMeta } from './own-files.ts';
import type { PastReader } from './past.ts';
import {
  createPastReader,
  readRecords,
  readSiteNames,
  type SiteFiles,
} from './site-data.ts';
import type { SiteStorage } from './storage.ts';
import { entriesByPath } from './verified-files.ts';

/**
 * A site built by gamedata, stored in a folder, an archive or a deployment. Opening
 * it reads only the manifest and `meta.json`. The methods read their files when they
 * are called, and throw `OutputError` or `DataError` if a file is damaged.
 */
export interface BuiltSite {
  readonly storage: SiteStorage;
  readonly manifest: Manifest;
  /** The manifest's entries by path. */
  readonly entries: Entries;
  /**
   * The content of `meta.json`, which has not been verified against the manifest.
   */
  readonly meta: Meta;
  records(): AnyRecords;
  /** Reads the names of the given records in every language. */
  names(records: AddressedRecords): Names[];
  /** Reads the history and the old slugs. */
  readonly past: PastReader;
}

/**
 * Opens a built site.
 *
 * @param maxMemoryBytes the memory limit for all records together, and for all names
 * together
 * @throws OutputError if the manifest or `meta.json` is missing or invalid
 */
export function openSite(storage: SiteStorage, maxMemoryBytes?: number): BuiltSite {
  const manifest = readManifest(storage);
  const entries = entriesByPath(manifest);
  const meta = readMeta(storage);
  const files: SiteFiles = { storage, entries, meta, maxMemoryBytes };
  return {
    storage,
    manifest,
    entries,
    meta,
    records: () => readRecords(files),
    names: (records) => readSiteNames(files, records),
    past: createPastReader(files),
  };
}
