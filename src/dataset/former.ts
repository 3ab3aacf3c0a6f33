/**
 * Former slugs: kind → slug → the id of the record that had it last. A key is never removed, so that an address that ever answered
 * keeps redirecting, however short the feed of changes is.
 */

import { formerReader } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { FORMER_FILE, parseRecordPath, recordPath } from '../contract/paths.ts';
import type { MovedRoute } from '../contract/routes.ts';

/** Maps, as a slug may be the name of what every object has. */
export type Former = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

/** As much of a record as an address is made of. Of a published record that is damaged, only its path is known. */
export interface Addressed {
  readonly id?: number | undefined;
  readonly slug: string;
}
export type AddressedRecords = Readonly<Record<Kind, readonly Addressed[]>>;

export const noFormer: Former = mapKinds(() => new Map<string, number>());

/** Of several records that had a slug, the one that is named last counts. */
export const mergeFormer = (...all: readonly Former[]): Former =>
  mapKinds((kind) => new Map(all.flatMap((former) => [...former[kind]])));

const slugsById = (records: readonly Addressed[]) => new Map(records.map(({ id, slug }) => [id, slug]));

/** The slugs that records had before and have no longer, whether they were renamed or removed. */
export const findOldSlugs = (before: AddressedRecords, after: AddressedRecords): Former =>
  mapKinds((kind) => {
    const now = slugsById(after[kind]);
    return new Map(
      before[kind].flatMap(({ id, slug }) => (id !== undefined && now.get(id) !== slug ? [[slug, id]] : [])),
    );
  });

/** Those of another data set's whose records have the same id and slug here, and so are the same. */
export const selectMatching = (former: Former, its: AddressedRecords, own: AddressedRecords): Former =>
  mapKinds((kind) => {
    const [theirs, ours] = [slugsById(its[kind]), slugsById(own[kind])];
    return new Map([...former[kind]].filter(([, id]) => ours.has(id) && ours.get(id) === theirs.get(id)));
  });

/** The old slugs that redirect, according to `moved.json`. */
export const readRedirects = (moved: Readonly<Record<string, string>>, records: AddressedRecords): Former =>
  mapKinds((kind) => {
    const ids = new Map(records[kind].map(({ id, slug }) => [slug, id]));
    return new Map(
      Object.entries(moved).flatMap(([path, to]): [string, number][] => {
        const [from, now] = [parseRecordPath(path), parseRecordPath(to)];
        const id = now?.kind === kind ? ids.get(now.slug) : undefined;
        return from?.kind === kind && id !== undefined ? [[from.slug, id]] : [];
      }),
    );
  });

const bySlug = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1);

/** The text of `former.json`, one slug per line, which keeps diffs of a repository small. */
export const encodeFormer = (former: Former): string =>
  `${JSON.stringify(
    mapKinds((kind) => Object.fromEntries([...former[kind]].sort(bySlug))),
    null,
    1,
  )}\n`;

/** Throws `DataError` if it is none. */
export function decodeFormer(json: unknown): Former {
  const parsed = parse(formerReader, json, { record: FORMER_FILE });
  return mapKinds((kind) => new Map(Object.entries(parsed[kind])));
}

/** Redirects from slugs that no record has to the records that had them, sorted by kind and old slug. */
export const createRedirects = (former: Former, records: AddressedRecords): MovedRoute[] =>
  kindNames.flatMap((kind) => {
    const slugs = slugsById(records[kind]);
    const taken = new Set(records[kind].map(({ slug }) => slug));
    return [...former[kind]].sort(bySlug).flatMap(([from, id]) => {
      const to = slugs.get(id);
      if (to === undefined || taken.has(from)) return [];
      return [{ path: recordPath(kind, from), to: recordPath(kind, to) }];
    });
  });
