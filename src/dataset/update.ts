import type { Comparison, DataSetSummary } from '../contract/changes.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import type { AnyRecords, DataSet, Provenance, Warning } from './data-set.ts';
import { stepsSince } from './history.ts';
import { createNoLosses, findLosses, type Losses } from './losses.ts';
import { compareNames, type NameChanges } from './names.ts';
import type { AddressedRecords } from './old-slugs.ts';
import {
  continuePast,
  emptyPast,
  keepPast,
  type Past,
  type PastWithNotices,
  type PreviousState,
} from './past.ts';

/**
 * The data set that the next one replaces. It may come from a site, a published
 * snapshot or the bundled data. Its parts are read only when they are needed, and
 * damaged parts of a site are returned as undefined.
 */
export interface Previous extends DataSetSummary {
  records(): AnyRecords | undefined;
  /**
   * Lists the records' ids and slugs, even if the records themselves cannot be read.
   */
  listed?(): AddressedRecords;
  /**
   * Reads the history and the old slugs.
   *
   * @throws OutputError if the old slugs are damaged but must not be lost
   */
  readPast(mayBeLost: boolean): PastWithNotices;
  readonly names?: NamesSummary | undefined;
  /** Reads the names of the given records in every language. */
  readNames?(records: AddressedRecords): readonly Names[] | undefined;
  /**
   * The warnings about the records. A site stores only the number of warnings per
   * kind and code.
   */
  readonly warnings?: readonly Warning[] | Meta['warnings'];
  readonly upstream?: string;
  readonly sprites?: Meta['sprites'];
}

/** The data set that was read from a source. */
export interface Next {
  readonly dataSet: DataSet;
  /**
   * Reads the past that the source has recorded. The past may be damaged, so it is
   * not read if the user starts a new history.
   *
   * @throws OutputError or DataError if the past is damaged
   */
  readPast?(): Past;
  /**
   * Whether the data comes from a snapshot or a site. Such data was already checked
   * and dated when it was captured.
   */
  readonly isCopy: boolean;
  readonly fallback?: string | undefined;
}

export interface UpdateOptions {
  /** The current date in the form `YYYY-MM-DD`. */
  readonly today: string;
  readBundled(): (Previous & Provenance) | undefined;
  readonly skip?: Skipped | undefined;
  readonly hasNames?: boolean | undefined;
  readonly forgetHistory?: boolean | undefined;
  /**
   * Whether the user asked to restore an archive. This permits every loss except the
   * loss of a whole kind.
   */
  readonly isRestored?: boolean | undefined;
}

/** A planned update from the previous data set to the next one. */
export interface Update {
  /** The next data set with its final dates. */
  readonly dataSet: DataSet;
  /**
   * The provenance as read from the source, before unchanged data got its original
   * dates back.
   */
  readonly asRead: Provenance;
  readonly isCopy: boolean;
  /** The reason why local data was read. Null if the data is not local. */
  readonly fallback: string | null;
  readonly past: Past;
  /** The changes since the previous data set. */
  readonly steps: readonly Comparison[];
  /** Undefined if there is no previous data set. */
  readonly losses: Losses | undefined;
  /** The slugs of records that no longer exist. */
  readonly missing: Readonly<Record<Kind, readonly string[]>>;
  readonly nameChanges: readonly NameChanges[];
  readonly previous: Previous | undefined;
  /**
   * The numbers of records in the bundled data set. Defined only if nothing is
   * published and the bundled data set is from another upstream.
   */
  readonly foreignCounts: Counts | undefined;
  readonly notices: readonly string[];
}

const UNGUARDED =
  'neither published nor bundled data exists, so --max-shrink has no effect';

/**
 * Plans how the next data set replaces the previous one, without changing any files.
 *
 * It chooses the previous data set, dates the next one, continues the past, and
 * finds the URLs that would be lost. The guard then decides whether the update may be
 * published.
 */
export function planUpdate(
  next: Next,
  published: Previous | undefined,
  options: UpdateOptions,
): Update {
  const { previous, foreignCounts } = choosePrevious(next, published, options);
  const dataSet = dateDataSet(next, published, previous);
  const change = planChange(next, { previous, dataSet }, options);
  const { past, losses, nameChanges } = change;
  const nextDates = { digest: dataSet.digest, ...dataSet.provenance };
  const allNotices = [
    ...describeMissingGuard(next, previous, foreignCounts),
    ...describeEarlyClock(next, published, options),
    ...describeOlderSource(next, previous, nextDates),
    ...change.notices,
  ];
  return {
    dataSet,
    asRead: next.dataSet.provenance,
    isCopy: next.isCopy,
    fallback: next.fallback ?? null,
    past,
    steps: stepsSince(past.history, previous?.digest),
    losses,
    missing: mapKinds((kind) => listMissingSlugs(losses, kind)),
    nameChanges,
    previous,
    foreignCounts,
    // Damaged records and a damaged history may result in the same notice.
    notices: [...new Set(allNotices)],
  };
}

/** The effects of replacing the previous data set. */
interface Change {
  readonly past: Past;
  /** Undefined if there is no previous data set. */
  readonly losses: Losses | undefined;
  readonly nameChanges: readonly NameChanges[];
  readonly notices: readonly string[];
}

interface Replacement {
  readonly previous: Previous | undefined;
  /** The next data set with its final dates. */
  readonly dataSet: DataSet;
}

/**
 * Reads the past of both data sets and continues it. If the records are the same,
 * they are not needed, so a snapshot does not have to parse them.
 */
function planChange(
  next: Next,
  { previous, dataSet }: Replacement,
  options: UpdateOptions,
): Change {
  if (!previous) {
    const past = readSourcePast(next, options);
    return { past, losses: undefined, nameChanges: [], notices: [] };
  }
  const previousPast = readPreviousPast(previous, options);
  const sourcePast = readSourcePast(next, options);
  if (previous.digest !== dataSet.digest) {
    const pasts = { previousPast, sourcePast };
    return replaceRecords(previous, dataSet, pasts, options);
  }
  return {
    past: keepPast(sourcePast, previousPast, dataSet.digest),
    losses: createNoLosses(previous.counts),
    nameChanges: findNameChanges(previous, dataSet, options, () => dataSet.records),
    notices: previousPast.notices,
  };
}

/** Reads the past that the source has recorded, unless the user forgets it. */
function readSourcePast(next: Next, { forgetHistory }: UpdateOptions): Past {
  if (forgetHistory) return emptyPast;
  return next.readPast?.() ?? emptyPast;
}

function readPreviousPast(
  previous: Previous,
  { forgetHistory, isRestored = false }: UpdateOptions,
): PastWithNotices {
  if (forgetHistory) return { ...emptyPast, notices: [] };
  return previous.readPast(isRestored);
}

interface Pasts {
  readonly previousPast: PastWithNotices;
  /** The past that the source has recorded. */
  readonly sourcePast: Past;
}

/**
 * Compares different records. If the previous records are damaged, their addresses
 * may still be known from the list of files. Otherwise, the next records take their
 * place, so that no record is reported as lost.
 */
function replaceRecords(
  previous: Previous,
  dataSet: DataSet,
  { previousPast, sourcePast }: Pasts,
  options: UpdateOptions,
): Change {
  const { records } = dataSet;
  const previousRecords = previous.records();
  const previousState: PreviousState = {
    digest: previous.digest,
    captured: previous.captured,
    counts: previous.counts,
    edition: previous.edition,
    records: previousRecords,
    addresses: previousRecords ?? previous.listed?.() ?? records,
    past: previousPast,
  };
  const { captured, edition } = dataSet.provenance;
  const nextState = { ...dataSet, captured, edition, past: sourcePast };
  const past = continuePast(nextState, previousState);

  const previousAddresses = {
    records: previousState.addresses,
    oldSlugs: previousPast.oldSlugs,
  };
  const nextAddresses = { records, oldSlugs: past.oldSlugs };
  return {
    past: { history: past.history, oldSlugs: past.oldSlugs },
    losses: findLosses(previousAddresses, nextAddresses, options.skip),
    nameChanges: findNameChanges(previous, dataSet, options, () => previousRecords),
    notices: [...previousPast.notices, ...past.notices],
  };
}

function listMissingSlugs(losses: Losses | undefined, kind: Kind): string[] {
  if (!losses) return [];
  return losses.missing[kind].map(({ slug }) => slug);
}

/** The data that the next data set is compared with. */
interface Choice {
  readonly previous: Previous | undefined;
  readonly foreignCounts: Counts | undefined;
}

/**
 * Chooses the data set that the next one continues. This is the published data set
 * or, if nothing is published, the bundled data set if it is from the same upstream.
 * If the bundled data set is from another upstream, only the numbers of records are
 * compared. A copy was checked when it was captured, so it is compared only with
 * published data.
 */
function choosePrevious(
  { dataSet, isCopy }: Next,
  published: Previous | undefined,
  options: UpdateOptions,
): Choice {
  if (published || isCopy) return { previous: published, foreignCounts: undefined };
  const bundled = options.readBundled();
  const { source, upstream } = dataSet.provenance;
  const isSameUpstream = bundled?.source === source && bundled.upstream === upstream;
  if (isSameUpstream) return { previous: bundled, foreignCounts: undefined };
  return { previous: undefined, foreignCounts: bundled?.counts };
}

/**
 * Sets the dates of the next data set. A copy keeps its source's dates. Unchanged
 * data keeps the previous data set's dates, because they record when this state was
 * first seen. Changed data gets the day on which it was read, but is never dated
 * before the published data, even if the clock is wrong.
 */
function dateDataSet(
  { dataSet, isCopy }: Next,
  published: Previous | undefined,
  previous: Previous | undefined,
): DataSet {
  if (isCopy) return dataSet;
  const { provenance, digest } = dataSet;
  if (previous?.digest === digest) {
    const captured = previous.captured ?? provenance.captured;
    const edition = previous.edition ?? provenance.edition;
    return { ...dataSet, provenance: { ...provenance, captured, edition } };
  }
  const publishedDay = published?.captured ?? '';
  if (publishedDay <= provenance.captured) return dataSet;
  return { ...dataSet, provenance: { ...provenance, captured: publishedDay } };
}

/**
 * Compares the names of both data sets. Returns no changes if the user disabled
 * names, if the digests are equal, or if the previous records or names cannot be
 * read.
 */
function findNameChanges(
  previous: Previous,
  dataSet: DataSet,
  { hasNames }: UpdateOptions,
  readPreviousRecords: () => AnyRecords | undefined,
): readonly NameChanges[] {
  if (hasNames === false) return [];
  if (previous.names?.digest === dataSet.namesSummary?.digest) return [];
  const previousRecords = readPreviousRecords();
  const previousNames = previousRecords && previous.readNames?.(previousRecords);
  if (!previousRecords || !previousNames) return [];
  const previousNamed = { records: previousRecords, names: previousNames };
  const nextNamed = { records: dataSet.records, names: dataSet.readNames() };
  return compareNames(previousNamed, nextNamed);
}

function describeMissingGuard(
  { isCopy }: Next,
  previous: Previous | undefined,
  foreignCounts: Counts | undefined,
): string[] {
  const isCompared = previous !== undefined || foreignCounts !== undefined;
  if (isCopy || isCompared) return [];
  return [UNGUARDED];
}

function describeEarlyClock(
  { isCopy }: Next,
  published: Previous | undefined,
  { today }: UpdateOptions,
): string[] {
  if (isCopy || !published?.captured || published.captured <= today) return [];
  return [
    `the clock or SOURCE_DATE_EPOCH is at ${today}, before the published data of ${published.captured}, so published dates stay and the build is reproducible only into an empty folder`,
  ];
}

type Dated = Pick<DataSetSummary, 'digest' | 'captured' | 'edition'>;

/** Two comparable days in the form `YYYY-MM-DD`, or null if unknown. */
interface ComparableDays {
  readonly previousDay: string | null;
  readonly nextDay: string | null;
}

/**
 * Returns the days of both editions if both data sets have an edition. Otherwise,
 * returns both capture dates.
 */
export function getDays(previous: Dated, next: Dated): ComparableDays {
  if (!previous.edition || !next.edition) {
    return { previousDay: previous.captured, nextDay: next.captured };
  }
  const previousDay = previous.edition.deployed.slice(0, 10);
  const nextDay = next.edition.deployed.slice(0, 10);
  return { previousDay, nextDay };
}

function describeOlderSource(
  { isCopy, fallback }: Next,
  previous: Previous | undefined,
  next: Dated,
): string[] {
  if (!isCopy || fallback !== undefined) return [];
  if (!previous || previous.digest === next.digest) return [];
  const { previousDay, nextDay } = getDays(previous, next);
  if (!previousDay || !nextDay || nextDay >= previousDay) return [];
  return [
    `the source of ${nextDay} is older than the published data of ${previousDay}`,
  ];
}
