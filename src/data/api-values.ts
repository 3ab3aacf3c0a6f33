/**
 * Creates the JSON values of the API's files. Browsers load this module, so it must not
 * import the schema library.
 */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';
import type { Addressed } from './redirects.ts';

type Served<R extends Addressed> = { readonly url: string } & R;

export const addUrl = <R extends Addressed>(
  base: paths.LinkBase,
  kind: Kind,
  record: R,
): Served<R> => ({
  url: paths.recordUrl(base, kind, record.slug),
  ...record,
});

export const addUrls = <R extends Addressed>(
  base: paths.LinkBase,
  records: Readonly<Record<Kind, readonly R[]>>,
): Record<Kind, Served<R>[]> =>
  mapKinds((kind) => records[kind].map((record) => addUrl(base, kind, record)));

/** Creates the values of the API root, list pages and records, by file path. */
export function createApiValues(
  base: paths.LinkBase,
  servedRecords: Readonly<Record<Kind, readonly Addressed[]>>,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const root = mapKinds((kind) => paths.listUrl(base, kind));
  values.set(paths.rootFile, root);
  for (const kind of kindNames) {
    const records = servedRecords[kind];
    const count = records.length;
    for (const offset of pageOffsets(count)) {
      const range = { limit: PAGE_SIZE, offset };
      const results = records.slice(offset, offset + PAGE_SIZE);
      const page = paths.createListPage(base, kind, { range, count, results });
      values.set(paths.listPageFile(kind, offset), page);
    }
    for (const record of records) {
      values.set(paths.recordFile(kind, record.slug), record);
    }
  }
  return values;
}

/** Creates the value of the file that maps old paths of records to current paths. */
export const createMovedPaths = (
  redirects: readonly Redirect[],
): Record<string, string> =>
  Object.fromEntries(redirects.map(({ path, to }) => [path, to]));
