import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Entries, Meta } from '../contract/meta.ts';
import { findSlugs, META_FILE } from '../contract/paths.ts';
import type { Previous } from '../dataset/update.ts';
import { ignoreDamage } from './damage.ts';
import { parseMeta } from './own-files.ts';
import { readPublishedPast } from './past.ts';
import {
  createPastReader,
  readAddresses,
  readRecords,
  readSiteNames,
  type SiteFiles,
} from './site-data.ts';
import type { SiteStorage } from './storage.ts';
import { readVerified } from './verified-files.ts';

/**
 * Reads the `meta.json` of the site in the user's output folder.
 *
 * @returns undefined if the file is missing, invalid, or different from its manifest
 * entry
 */
export function readPublishedMeta(
  storage: SiteStorage,
  entries: Entries,
): Meta | undefined {
  return ignoreDamage(() => {
    const body = readVerified(storage, entries, META_FILE);
    return parseMeta(storage, body);
  });
}

/** The site that a build replaces, in the form of a previous data set. */
export interface PreviousSite extends Previous {
  readonly storage: SiteStorage;
  readonly entries: Entries;
}

/** The parts of a published site that are read before its data. */
interface PublishedFiles {
  /**
   * Undefined if `meta.json` is damaged. In that case, only the list of files is
   * available.
   */
  readonly meta?: Meta | undefined;
  readonly entries: Entries;
}

/**
 * Reads the published site as the previous data set. Damaged data is returned as
 * undefined, because the build replaces it anyway.
 *
 * @returns undefined if nothing is published
 */
export function readPreviousSite(
  storage: SiteStorage,
  { meta, entries }: PublishedFiles,
): PreviousSite | undefined {
  if (entries.size === 0) return undefined;
  const paths = [...entries.keys()];
  const files: SiteFiles = { storage, entries, meta };
  const countFiles = (kind: Kind): number => findSlugs(kind, paths).length;
  const past = createPastReader(files);
  const wayOut = 'Restore an archive of the site with gamedata mirror <archive>';
  const summary = meta ?? {
    digest: '',
    captured: null,
    counts: mapKinds(countFiles),
  };
  return {
    ...summary,
    storage,
    entries,
    records: () => ignoreDamage(() => readRecords(files)),
    listed: () => readAddresses(files),
    readNames: (records) => ignoreDamage(() => readSiteNames(files, records)),
    readPast: (mayBeLost) => readPublishedPast(past, { mayBeLost, wayOut }),
  };
}
