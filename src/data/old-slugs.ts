/**
 * Reads and writes old slugs (`old-slugs.json`). Old slugs are never removed, so old
 * URLs keep redirecting even after the history has dropped the change.
 */

import { oldSlugsReader } from '../contract/changes.ts';
import { mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import {
  type AddressedRecords,
  mapSlugs,
  type OldSlugs,
  sortBySlug,
} from './redirects.ts';

export const noOldSlugs: OldSlugs = mapKinds(() => new Map<string, number>());

/**
 * Merges old slugs. If several arguments contain the same slug, the last one takes
 * precedence.
 */
export const mergeOldSlugs = (...all: readonly OldSlugs[]): OldSlugs =>
  mapKinds((kind) => {
    const merged = new Map<string, number>();
    for (const oldSlugs of all) {
      for (const [slug, id] of oldSlugs[kind]) merged.set(slug, id);
    }
    return merged;
  });

/** Finds the previous slugs of all records that were renamed or removed. */
export const findOldSlugs = (
  previous: AddressedRecords,
  next: AddressedRecords,
): OldSlugs =>
  mapKinds((kind) => {
    const nextSlugs = mapSlugs(next[kind]);
    const oldSlugs = new Map<string, number>();
    for (const { id, slug } of previous[kind]) {
      if (nextSlugs.get(id) !== slug) oldSlugs.set(slug, id);
    }
    return oldSlugs;
  });

/**
 * Encodes old slugs with one slug per line, which keeps diffs in a repository small.
 */
export function encodeOldSlugs(oldSlugs: OldSlugs): string {
  const sorted = mapKinds((kind) => Object.fromEntries(sortBySlug(oldSlugs[kind])));
  return `${JSON.stringify(sorted, null, 1)}\n`;
}

/**
 * Decodes `old-slugs.json`.
 *
 * @param record the name of the file, for error messages
 * @throws GamedataError
 */
export function decodeOldSlugs(json: unknown, record: string): OldSlugs {
  const parsed = parse(oldSlugsReader, json, { record });
  return mapKinds((kind) => new Map(Object.entries(parsed[kind])));
}
