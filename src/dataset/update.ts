import type { Comparison, DataSetSummary } from '../contract/changes.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import type { Counts, Skipped } from '../contract/records.ts';
import type { AnyRecords, DataSet, Provenance, Warning } from './data-set.ts';
import { stepsSince } from './history.ts';
import { findLosses, type Losses } from './losses.ts';
import { compareNames, type NameChanges } from './names.ts';
import type { AddressedRecords } from './old-slugs.ts';
import {
  continuePast,
  emptyPast,
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
   * Lists the ids and slugs of the records, even if the records themselves cannot be
   * read.
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
 * It chooses the previous data set, reads its undamaged parts, dates the next data
 * set, continues the past, and finds the URLs that would be lost. The guard then
 * decides whether the update may be published.
 */
export function planUpdate(
  next: Next,
  published: Previous | undefined,
  options: UpdateOptions,
): Update {
  const { previous, foreignCounts } = choosePrevious(next, published, options);
  const previousState = previous && readPrevious(previous, next.dataSet, options);
  const dataSet = dateDataSet(next, published, previous);
  const { records, provenance } = dataSet;
  const { captured, edition } = provenance;

  const sourcePast = options.forgetHistory ? undefined : next.readPast?.();
  const nextState = { ...dataSet, captured, edition, past: sourcePast ?? emptyPast };
  const {
    history,
    oldSlugs,
    notices: pastNotices,
  } = continuePast(nextState, previousState);
  const past: Past = { history, oldSlugs };

  const losses =
    previousState && findPreviousLosses(previousState, { records, past }, options);
  const notices = [
    ...describeMissingGuard(next, previous, foreignCounts),
    ...describeEarlyClock(next, published, options),
    ...describeOlderSource(next, previous, nextState),
    ...(previousState?.past.notices ?? []),
    ...pastNotices,
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
    nameChanges: findNameChanges(dataSet, previous, previousState, options),
    previous,
    foreignCounts,
    // Damaged records and a damaged history may result in the same notice.
    notices: [...new Set(notices)],
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

/** The previous data set after it was read, including notices about its past. */
interface ReadPreviousState extends PreviousState {
  readonly past: PastWithNotices;
}

/**
 * Reads the undamaged parts of the previous data set. If the digests are equal, the
 * next records are used instead of reading the previous ones. If the previous
 * records are damaged, their addresses may still be known from the list of files.
 * Otherwise, the next records take their place, so that no record is reported as
 * lost.
 */
function readPrevious(
  previous: Previous,
  nextDataSet: DataSet,
  { forgetHistory, isRestored = false }: UpdateOptions,
): ReadPreviousState {
  const { digest, captured, counts, edition } = previous;
  const isUnchanged = digest === nextDataSet.digest;
  const records = isUnchanged ? nextDataSet.records : previous.records();
  const addresses = records ?? previous.listed?.() ?? nextDataSet.records;
  const past = forgetHistory ? forgottenPast : previous.readPast(isRestored);
  return { digest, captured, counts, edition, records, addresses, past };
}

const forgottenPast: PastWithNotices = { ...emptyPast, notices: [] };

/**
 * Sets the dates of the next data set. A copy keeps the dates of its source.
 * Unchanged data keeps the dates of the previous data set, because they record when
 * this state was first seen. Changed data gets the day on which it was read, but is
 * never dated before the published data, even if the clock is wrong.
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

interface NextAddresses {
  readonly records: AddressedRecords;
  readonly past: Past;
}

function findPreviousLosses(
  previousState: ReadPreviousState,
  next: NextAddresses,
  { skip }: UpdateOptions,
): Losses {
  const previousAddresses = {
    records: previousState.addresses,
    oldSlugs: previousState.past.oldSlugs,
  };
  const nextAddresses = { records: next.records, oldSlugs: next.past.oldSlugs };
  return findLosses(previousAddresses, nextAddresses, skip);
}

/**
 * Compares the names of both data sets. Returns no changes if the user disabled
 * names, if the digests are equal, or if the previous records or names cannot be
 * read.
 */
function findNameChanges(
  dataSet: DataSet,
  previous: Previous | undefined,
  previousState: ReadPreviousState | undefined,
  { hasNames }: UpdateOptions,
): readonly NameChanges[] {
  const previousRecords = previousState?.records;
  if (hasNames === false || !previousRecords) return [];
  if (previous?.names?.digest === dataSet.namesSummary?.digest) return [];
  const previousNames = previous?.readNames?.(previousRecords);
  if (!previousNames) return [];
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
