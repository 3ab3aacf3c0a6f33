/** Old slugs (`former.json`). A key is never removed, so that old URLs redirect regardless of the length of the history. */

import { formerReader } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { FORMER_FILE, parseRecordPath, recordPath } from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';

/** Kind → old slug → the id of the record that had it last. Maps, because a slug may be `constructor`. */
export type OldSlugs = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

export interface Addressed {
  readonly id?: number | undefined;
  readonly slug: string;
}
export type AddressedRecords = Readonly<Record<Kind, readonly Addressed[]>>;

export const noOldSlugs: OldSlugs = mapKinds(() => new Map<string, number>());

/** Merges old slugs. The last record that had a slug takes precedence. */
export const mergeOldSlugs = (...all: readonly OldSlugs[]): OldSlugs =>
  mapKinds((kind) => new Map(all.flatMap((oldSlugs) => [...oldSlugs[kind]])));

/** Maps ids to slugs. */
export const mapSlugs = (records: readonly Addressed[]): Map<number | undefined, string> =>
  new Map(records.map(({ id, slug }) => [id, slug]));

/** Maps slugs to ids. */
export const mapIds = (records: readonly Addressed[]): Map<string, number | undefined> =>
  new Map(records.map(({ id, slug }) => [slug, id]));

export const findOldSlugs = (before: AddressedRecords, after: AddressedRecords): OldSlugs =>
  mapKinds((kind) => {
    const slugs = mapSlugs(after[kind]);
    return new Map(
      before[kind].flatMap(({ id, slug }) =>
        id !== undefined && slugs.get(id) !== slug ? [[slug, id]] : [],
      ),
    );
  });

export const convertMoved = (
  moved: Readonly<Record<string, string>>,
  records: AddressedRecords,
): OldSlugs =>
  mapKinds((kind) => {
    const ids = mapIds(records[kind]);
    return new Map(
      Object.entries(moved).flatMap(([path, to]): [string, number][] => {
        const [from, now] = [parseRecordPath(path), parseRecordPath(to)];
        const id = now?.kind === kind ? ids.get(now.slug) : undefined;
        return from?.kind === kind && id !== undefined ? [[from.slug, id]] : [];
      }),
    );
  });

const sortBySlug = (slugs: ReadonlyMap<string, number>): [string, number][] =>
  [...slugs].sort(([a], [b]) => (a < b ? -1 : 1));

/** Writes one slug per line, which keeps repository diffs small. */
export function encodeOldSlugs(oldSlugs: OldSlugs): string {
  const sorted = mapKinds((kind) => Object.fromEntries(sortBySlug(oldSlugs[kind])));
  return `${JSON.stringify(sorted, null, 1)}\n`;
}

export function decodeOldSlugs(json: unknown): OldSlugs {
  const parsed = parse(formerReader, json, { record: FORMER_FILE });
  return mapKinds((kind) => new Map(Object.entries(parsed[kind])));
}

/** Creates redirects from old slugs that no record has to the records that had them, sorted by kind and old slug. */
export const createRedirects = (oldSlugs: OldSlugs, records: AddressedRecords): Redirect[] =>
  kindNames.flatMap((kind) => {
    const slugs = mapSlugs(records[kind]);
    const taken = new Set(records[kind].map(({ slug }) => slug));
    return sortBySlug(oldSlugs[kind]).flatMap(([from, id]) => {
      const to = slugs.get(id);
      if (to === undefined || taken.has(from)) return [];
      return [{ path: recordPath(kind, from), to: recordPath(kind, to) }];
    });
  });
