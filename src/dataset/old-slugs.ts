/** Old slugs (`former.json`). A key is never removed, so that old URLs redirect regardless of the length of the history. */

import { formerReader } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { FORMER_FILE, parseRecordPath, recordPath } from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';

/** Kind → old slug → the id of the record that had it last. Maps, because a slug may be `constructor`. */
export type OldSlugs = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

/** The parts of a record that determine its URL. */
export interface Addressed {
  /** Undefined if the record's file is damaged, so that only its slug is known. */
  readonly id?: number | undefined;
  readonly slug: string;
}
export type AddressedRecords = Readonly<Record<Kind, readonly Addressed[]>>;

export const noOldSlugs: OldSlugs = mapKinds(() => new Map<string, number>());

/** Merges old slugs. If several have the same slug, the last one takes precedence. */
export const mergeOldSlugs = (...all: readonly OldSlugs[]): OldSlugs =>
  mapKinds((kind) => {
    const merged = new Map<string, number>();
    for (const oldSlugs of all) {
      for (const [slug, id] of oldSlugs[kind]) merged.set(slug, id);
    }
    return merged;
  });

/** Maps ids to slugs. */
export const mapSlugs = (records: readonly Addressed[]): Map<number | undefined, string> =>
  new Map(records.map(({ id, slug }) => [id, slug]));

/** Maps slugs to ids. */
export const mapIds = (records: readonly Addressed[]): Map<string, number | undefined> =>
  new Map(records.map(({ id, slug }) => [slug, id]));

/** Finds the slugs of records that were renamed or removed. */
export const findOldSlugs = (previous: AddressedRecords, next: AddressedRecords): OldSlugs =>
  mapKinds((kind) => {
    const nextSlugs = mapSlugs(next[kind]);
    const oldSlugs = new Map<string, number>();
    for (const { id, slug } of previous[kind]) {
      if (id !== undefined && nextSlugs.get(id) !== slug) oldSlugs.set(slug, id);
    }
    return oldSlugs;
  });

/**
 * Converts the redirects of a site to old slugs, as far as they lead to records.
 *
 * @param moved old path → current path, as in `moved.json`
 */
export const convertMoved = (
  moved: Readonly<Record<string, string>>,
  records: AddressedRecords,
): OldSlugs =>
  mapKinds((kind) => {
    const ids = mapIds(records[kind]);
    const oldSlugs = new Map<string, number>();
    for (const [oldPath, currentPath] of Object.entries(moved)) {
      const old = parseRecordPath(oldPath);
      const current = parseRecordPath(currentPath);
      if (old?.kind !== kind || current?.kind !== kind) continue;
      const id = ids.get(current.slug);
      if (id !== undefined) oldSlugs.set(old.slug, id);
    }
    return oldSlugs;
  });

const sortBySlug = (slugs: ReadonlyMap<string, number>): [string, number][] =>
  [...slugs].sort(([a], [b]) => (a < b ? -1 : 1));

/** Writes one slug per line, which keeps repository diffs small. */
export function encodeOldSlugs(oldSlugs: OldSlugs): string {
  const sorted = mapKinds((kind) => Object.fromEntries(sortBySlug(oldSlugs[kind])));
  return `${JSON.stringify(sorted, null, 1)}\n`;
}

/** @throws DataError */
export function decodeOldSlugs(json: unknown): OldSlugs {
  const parsed = parse(formerReader, json, { record: FORMER_FILE });
  return mapKinds((kind) => new Map(Object.entries(parsed[kind])));
}

/** Creates redirects from old slugs that no record has to the records that had them, sorted by kind and old slug. */
export function createRedirects(oldSlugs: OldSlugs, records: AddressedRecords): Redirect[] {
  const redirects: Redirect[] = [];
  for (const kind of kindNames) {
    const currentSlugs = mapSlugs(records[kind]);
    const takenSlugs = new Set(records[kind].map(({ slug }) => slug));
    for (const [oldSlug, id] of sortBySlug(oldSlugs[kind])) {
      const currentSlug = currentSlugs.get(id);
      if (currentSlug === undefined || takenSlugs.has(oldSlug)) continue;
      redirects.push({ path: recordPath(kind, oldSlug), to: recordPath(kind, currentSlug) });
    }
  }
  return redirects;
}
