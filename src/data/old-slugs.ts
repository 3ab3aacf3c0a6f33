/**
 * Reads and writes old slugs (`old-slugs.json`). Old slugs are never removed, so old
 * URLs keep redirecting even after the history has dropped the change.
 */

import { oldSlugsReader } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { recordPath } from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';

/**
 * Maps each old slug of a kind to the id of the record that had it last. We use maps
 * instead of objects because a slug may be `constructor`.
 */
export type OldSlugs = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

/** The parts of a record that determine its URL. */
export interface Addressed {
  readonly id: number;
  readonly slug: string;
}
export type AddressedRecords = Readonly<Record<Kind, readonly Addressed[]>>;

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

/** Maps record ids to slugs. */
export const mapSlugs = (records: readonly Addressed[]): Map<number, string> =>
  new Map(records.map(({ id, slug }) => [id, slug]));

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

const sortBySlug = (slugs: ReadonlyMap<string, number>): [string, number][] =>
  [...slugs].sort(([a], [b]) => (a < b ? -1 : 1));

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

/**
 * Creates a redirect from each old slug to the record that last had it. Skips slugs
 * that are in use again, and records that no longer exist. The redirects are sorted
 * by kind and old slug.
 */
export function createRedirects(
  oldSlugs: OldSlugs,
  records: AddressedRecords,
): Redirect[] {
  const redirects: Redirect[] = [];
  for (const kind of kindNames) {
    const currentSlugs = mapSlugs(records[kind]);
    const takenSlugs = new Set(records[kind].map(({ slug }) => slug));
    for (const [oldSlug, id] of sortBySlug(oldSlugs[kind])) {
      const currentSlug = currentSlugs.get(id);
      if (currentSlug === undefined || takenSlugs.has(oldSlug)) continue;
      redirects.push({
        path: recordPath(kind, oldSlug),
        to: recordPath(kind, currentSlug),
      });
    }
  }
  return redirects;
}
