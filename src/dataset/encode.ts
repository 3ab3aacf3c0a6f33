/** The text of records and of list pages. */

import { type Kind, mapKinds } from '../contract/kinds.ts';
import { type LinkBase, listUrl, recordUrl } from '../contract/paths.ts';
import { nextWindow, previousWindow, type Window } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords } from './data-set.ts';

/** Stringifies a record once, for its file, its list page, the snapshot and the digest. */
export const encodeRecord = (record: Pick<EncodedRecord, 'id' | 'slug'>): EncodedRecord => ({
  id: record.id,
  slug: record.slug,
  json: JSON.stringify(record),
});

/** The JSON of a record as it is served: with its `url` first. */
export const servedText = (base: LinkBase, kind: Kind, { slug, json }: EncodedRecord): string =>
  `{"url":${JSON.stringify(recordUrl(base, kind, slug))},${json.slice(1)}`;

/** Kind → the JSON of its records as they are served, which is that of their files, list pages and bulk files. */
export type ServedTexts = Readonly<Record<Kind, readonly string[]>>;

export const servedTexts = (base: LinkBase, records: EncodedRecords): ServedTexts =>
  mapKinds((kind) => records[kind].map((record) => servedText(base, kind, record)));

/** The JSON of a list page around the JSON of its records. */
export function listPage(
  base: LinkBase,
  kind: Kind,
  { window, count, results }: { window: Window; count: number; results: readonly string[] },
): string {
  const next = nextWindow(window, count);
  const previous = previousWindow(window);
  const link = (to: typeof next): string => JSON.stringify(to && listUrl(base, kind, to));
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results.join(',')}]}`;
}
