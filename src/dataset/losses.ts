import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { recordPath } from '../contract/paths.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import {
  type Addressed,
  type AddressedRecords,
  createRedirects,
  mapIds,
  mapSlugs,
  type OldSlugs,
} from './old-slugs.ts';

/**
 * Everything in a site that has its own URL: the records, and the old slugs that
 * redirect to them.
 */
export interface Addresses {
  readonly records: AddressedRecords;
  readonly oldSlugs: OldSlugs;
}

/**
 * The URLs of the previous data set that would stop working or would return a
 * different record.
 */
export interface Losses {
  /** The number of records of each kind in the previous data set. */
  readonly previousCounts: Counts;
  /** Records that no longer exist. */
  readonly missing: Readonly<Record<Kind, readonly Addressed[]>>;
  /**
   * Records whose id now has a different slug, or whose slug now has a different id.
   */
  readonly changed: Readonly<Record<Kind, readonly Addressed[]>>;
}

/** Creates the losses of an update that keeps all records. */
export function createNoLosses(previousCounts: Counts): Losses {
  const missing = mapKinds((): Addressed[] => []);
  const changed = mapKinds((): Addressed[] => []);
  return { previousCounts, missing, changed };
}

/**
 * Finds the URLs of the previous data set that the next one would break.
 *
 * First, it finds the paths that no longer exist. A record is missing if its id no
 * longer exists and at least one of its paths is lost. If another record has taken
 * over its slug, all paths still work.
 *
 * @param skip the ids that the user excludes. These records do not count as missing.
 */
export function findLosses(
  previous: Addresses,
  next: Addresses,
  skip: Skipped | undefined,
): Losses {
  const recordsByPath = mapPaths(next);
  const recordsWithLostPath = new Set<string>();
  for (const [path, record] of mapPaths(previous)) {
    if (!recordsByPath.has(path)) recordsWithLostPath.add(record);
  }

  const slugsById = mapKinds((kind) => mapSlugs(next.records[kind]));
  const idsBySlug = mapKinds((kind) => mapIds(next.records[kind]));

  function isMissing(kind: Kind, record: Addressed): boolean {
    const { id, slug } = record;
    if (id === undefined) return !idsBySlug[kind].has(slug);
    if (slugsById[kind].has(id)) return false;
    if (skip?.[kind].includes(id)) return false;
    return recordsWithLostPath.has(identify(kind, record));
  }

  function isChanged(kind: Kind, { id, slug }: Addressed): boolean {
    if (id === undefined) return false;
    const currentSlug = slugsById[kind].get(id) ?? slug;
    const currentId = idsBySlug[kind].get(slug) ?? id;
    return currentSlug !== slug || currentId !== id;
  }

  const previousRecords = previous.records;
  const previousCounts = mapKinds((kind) => previousRecords[kind].length);
  const missing = mapKinds((kind) => {
    return previousRecords[kind].filter((record) => isMissing(kind, record));
  });
  const changed = mapKinds((kind) => {
    return previousRecords[kind].filter((record) => isChanged(kind, record));
  });
  return { previousCounts, missing, changed };
}

/**
 * Returns a key that identifies a record in both data sets. It uses the slug only if
 * the id is unknown.
 */
const identify = (kind: Kind, { id, slug }: Addressed): string =>
  `${kind} ${id ?? slug}`;

/**
 * Maps the path of each record and of each redirect to the key of the record that it
 * leads to.
 */
function mapPaths({ records, oldSlugs }: Addresses): Map<string, string> {
  const recordsByPath = new Map<string, string>();
  for (const kind of kindNames) {
    for (const record of records[kind]) {
      recordsByPath.set(recordPath(kind, record.slug), identify(kind, record));
    }
  }
  for (const { path, to } of createRedirects(oldSlugs, records)) {
    recordsByPath.set(path, recordsByPath.get(to) ?? '');
  }
  return recordsByPath;
}
