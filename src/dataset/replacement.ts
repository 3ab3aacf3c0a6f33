/** What changes when one data set replaces another: history, old slugs, dates, and what is lost. */

import type { Comparison, DataSetSummary, History } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Edition, Meta } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import { recordPath } from '../contract/paths.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import type { AnyRecords, DataSet, Provenance, Warning } from './data-set.ts';
import {
  type Addressed,
  type AddressedRecords,
  createRedirects,
  type Former,
  findOldSlugs,
  mergeFormer,
  noFormer,
  selectMatching,
} from './former.ts';
import { continueHistory, correctDates, correctHistory, emptyHistory, stepsSince } from './history.ts';
import { compareNames, type NameChanges } from './names.ts';

/** The published data set, of a site or a snapshot. It is read only as far as it is needed. */
export interface Previous extends DataSetSummary {
  /** Undefined if they are damaged: the next build replaces them. */
  records(): AnyRecords | undefined;
  /** The addresses of records, if the records themselves are damaged. */
  listed?(): AddressedRecords;
  /** Throws if they are damaged. */
  former(): Former;
  /** The old slugs, or those that redirect if the others are damaged; undefined if neither can be read. */
  readableFormer?(): Former | undefined;
  /** Undefined if it is damaged. */
  history(): History | undefined;
  readonly names?: NamesSummary | undefined;
  readNames?(): readonly Names[] | undefined;
  /** Of a site, only the number of warnings of each kind and code. */
  readonly warnings?: readonly Warning[] | Meta['warnings'];
}

/** A complete data set from a source. */
export interface Next {
  readonly dataSet: DataSet;
  /** Those of a snapshot or a site. */
  readonly history?: History | undefined;
  readonly former?: Former | undefined;
  /** A copy, from a snapshot or a site, was guarded and dated when it was captured. */
  readonly isCopy: boolean;
  /** The reason for reading local data instead of the upstream. */
  readonly fallback?: string | undefined;
}

export interface CompareOptions {
  /** `YYYY-MM-DD` */
  readonly today: string;
  /** Reads the data set that comes with the package; undefined if it is missing. */
  readBundled(): (Previous & Provenance) | undefined;
  readonly skip?: Skipped | undefined;
  readonly hasNames?: boolean | undefined;
  readonly forgetHistory?: boolean | undefined;
  /** Whether the user named an archive to restore. */
  readonly isRestored?: boolean | undefined;
}

/** Kind → the slugs of records that disappeared. Renamed records are not among them. */
export type Missing = Readonly<Record<Kind, readonly string[]>>;

export type Replacement = ReturnType<typeof compareDataSets>;

/**
 * Compares the next data set with the published one, or with the bundled one if nothing is published. Of a bundled data set from another
 * upstream, only the number of records and the old slugs of equal records are used.
 */
export function compareDataSets(
  { dataSet, isCopy, fallback, ...next }: Next,
  published: Previous | undefined,
  { readBundled, ...options }: CompareOptions,
) {
  const { records, digest, provenance: read } = dataSet;
  const bundled = published || isCopy ? undefined : readBundled();
  const { today } = options;
  const isSameUpstream = bundled?.source === read.source && bundled.upstream === read.upstream;
  const known = published ?? (isSameUpstream ? bundled : undefined);
  const previous = known && correctDates(known, today);
  const other = previous ? undefined : bundled;
  const before = previous?.digest === digest ? records : previous?.records();
  // Unchanged data keeps the day and the edition in which it was first seen. A copy has its own.
  const first = isCopy || previous?.digest !== digest ? undefined : previous;
  const provenance: Provenance = {
    ...read,
    captured: first?.captured ?? read.captured,
    edition: first?.edition ?? read.edition,
  };
  const summary = { ...dataSet, captured: provenance.captured, edition: provenance.edition };
  const oldSlugs = readOldSlugs(previous, options);
  const addressed = previous && (before ?? previous.listed?.() ?? records);
  const former = mergeFormer(
    inheritSlugs(other, records),
    next.former ?? noFormer,
    oldSlugs,
    addressed ? findOldSlugs(addressed, records) : noFormer,
  );
  const { history, notices } = continueHistory(
    { ...summary, history: next.history },
    previous && options.forgetHistory ? { ...previous, history: () => emptyHistory } : previous,
    before,
  );
  const dated = isCopy ? history : correctHistory(history, today);
  const losses =
    addressed && findLosses({ records: addressed, former: oldSlugs }, { records, former }, options.skip);
  const steps: readonly Comparison[] = stepsSince(dated, previous?.digest);
  return {
    dataSet: { ...dataSet, provenance },
    ...{ history: dated, former, steps, fallback: fallback ?? null },
    missing: mapKinds((kind) => losses?.missing[kind].map(({ slug }) => slug) ?? []) as Missing,
    nameChanges: options.hasNames === false ? [] : findNameChanges(dataSet, previous, before),
    /** For the guard. */
    ...{ previous, losses, oldSlugs, isCopy, read },
    floor: other?.counts as Counts | undefined,
    notices: [
      ...(previous || isCopy || other ? [] : [UNGUARDED]),
      ...(isCopy && fallback === undefined ? describeOlder(previous, summary) : []),
      ...notices,
    ],
  };
}

const UNGUARDED = 'no earlier data is known, not even a bundled data set: --max-shrink could not be applied';

function readOldSlugs(
  previous: Previous | undefined,
  { forgetHistory, isRestored }: Pick<CompareOptions, 'forgetHistory' | 'isRestored'>,
): Former {
  if (!previous || forgetHistory) return noFormer;
  return (isRestored ? previous.readableFormer?.() : previous.former()) ?? noFormer;
}

function inheritSlugs(other: Previous | undefined, records: AnyRecords): Former {
  const its = other?.records();
  return other && its ? selectMatching(other.former(), its, records) : noFormer;
}

/** Empty if the previous records or names cannot be read. */
function findNameChanges(
  { records, names, namesSummary }: Pick<DataSet, 'records' | 'names' | 'namesSummary'>,
  previous: Previous | undefined,
  before: AnyRecords | undefined,
): NameChanges[] {
  const old = previous?.names?.digest === namesSummary?.digest ? undefined : previous?.readNames?.();
  return before && old ? compareNames({ records: before, names: old }, { records, names }) : [];
}

interface Addresses {
  readonly records: AddressedRecords;
  readonly former: Former;
}

/** Finds what is lost when records and old slugs are replaced. */
function findLosses(before: Addresses, next: Addresses, skip: Skipped | undefined) {
  const answered = listAddresses(next);
  const present = new Set(answered.values());
  const lost = [...listAddresses(before)].filter(([path]) => !answered.has(path));
  const unanswered = new Set(lost.filter(([, record]) => !present.has(record)).map(([, record]) => record));
  const slugs = mapKinds((kind) => new Map(next.records[kind].map(({ id, slug }) => [id, slug])));
  const ids = mapKinds((kind) => new Map(next.records[kind].map(({ id, slug }) => [slug, id])));
  const isMissing = (kind: Kind, { id, slug }: Addressed): boolean => {
    if (id === undefined) return !ids[kind].has(slug);
    const isThere = slugs[kind].has(id) || skip?.[kind].includes(id);
    return !isThere && (!ids[kind].has(slug) || unanswered.has(`${kind} ${id}`));
  };
  const isChanged = (kind: Kind, { id, slug }: Addressed): boolean =>
    id !== undefined && ((slugs[kind].get(id) ?? slug) !== slug || (ids[kind].get(slug) ?? id) !== id);
  return {
    had: mapKinds((kind) => before.records[kind].length),
    missing: mapKinds((kind) => before.records[kind].filter((record) => isMissing(kind, record))),
    /** Records with another slug or id. */
    changed: mapKinds((kind) => before.records[kind].filter((record) => isChanged(kind, record))),
    /** Paths of records that still exist. */
    addresses: lost.filter(([, record]) => present.has(record)).map(([path]) => path),
  };
}

/** Path → the record that it returns or redirects to. */
function listAddresses({ records, former }: Addresses): Map<string, string> {
  const addresses = new Map<string, string>();
  for (const kind of kindNames)
    for (const { id, slug } of records[kind]) addresses.set(recordPath(kind, slug), `${kind} ${id ?? slug}`);
  for (const { path, to } of createRedirects(former, records)) addresses.set(path, addresses.get(to) ?? '');
  return addresses;
}

interface Dated {
  readonly digest: string;
  readonly captured: string | null;
  readonly edition?: Edition | null | undefined;
}

/** Returns the days of two data sets that can be compared: of their editions, or else of their captures. */
export const datesOf = (before: Dated, next: Dated): readonly (string | null)[] =>
  before.edition && next.edition
    ? [before.edition.deployed, next.edition.deployed].map((time) => time.slice(0, 10))
    : [before.captured, next.captured];

/** Warns that a named source is older than the published data. */
function describeOlder(previous: Previous | undefined, next: Dated): string[] {
  if (!previous || previous.digest === next.digest) return [];
  const [before, now] = datesOf(previous, next);
  if (!before || !now || now >= before) return [];
  return [`the source is of ${now}, older than the published data of ${before}`];
}
