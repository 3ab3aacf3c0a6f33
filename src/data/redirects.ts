/**
 * Finds the redirects from the old URLs of renamed records. Browsers load this module,
 * so it must not import the schema library.
 */

import { type Kind, kindNames } from '../contract/kinds.ts';
import { recordPath } from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';

/**
 * Maps each old slug of a kind to the id of the record that last had it. We use maps
 * instead of objects because a slug may be `constructor`.
 */
export type OldSlugs = Readonly<Record<Kind, ReadonlyMap<string, number>>>;

/** The parts of a record that determine its URL. */
export interface Addressed {
  readonly id: number;
  readonly slug: string;
}
export type AddressedRecords = Readonly<Record<Kind, readonly Addressed[]>>;

/** Maps record ids to slugs. */
export const mapSlugs = (records: readonly Addressed[]): Map<number, string> =>
  new Map(records.map(({ id, slug }) => [id, slug]));

export const sortBySlug = (slugs: ReadonlyMap<string, number>): [string, number][] =>
  [...slugs].sort(([a], [b]) => (a < b ? -1 : 1));

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
