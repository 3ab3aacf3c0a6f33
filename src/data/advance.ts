import type { Comparison, DataSetSummary, History } from '../contract/changes.ts';
import { compare, type SummarizedRecords } from './compare.ts';
import type { AnyRecords, DataSet, PreviousDataSet } from './data-set.ts';
import { continuesHistory, extendHistory, stepsSince } from './history.ts';
import { compareNames, type NameChanges } from './names.ts';
import { findOldSlugs, mergeOldSlugs, noOldSlugs } from './old-slugs.ts';
import type { Past } from './past.ts';
import type { OldSlugs } from './redirects.ts';

/** An update from the previous data set to the next one. */
export interface Update {
  /** The next data set, with the past of both data sets. */
  readonly dataSet: DataSet;
  /** The changes since the previous data set, with the newest step first. */
  readonly steps: readonly Comparison[];
  readonly nameChanges: readonly NameChanges[];
}

/**
 * Adds the change from the previous data set to the next one to the history of the data.
 * The guard against mistakes of the upstream (`checkUpdate`) must have accepted the change.
 *
 * @param previous undefined if nothing is published
 * @param read the data set that was read
 * @param isCopy whether it is a copy of another data set, which has its own dates
 */
export function advance(
  previous: PreviousDataSet | undefined,
  read: DataSet,
  { isCopy = false } = {},
): Update {
  if (!previous) return { dataSet: read, steps: [], nameChanges: [] };
  // The history contains the dates, so they must be right before it is extended.
  const next = isCopy ? read : correctDates(previous, read);
  const past = continuePast(previous, next);
  return {
    dataSet: { ...next, readPast: () => past },
    steps: stepsSince(past.history, previous.digest),
    nameChanges: findNameChanges(previous, next),
  };
}

/**
 * Corrects the day and the edition of a data set that was just read. Both must say when
 * its records were seen for the first time. An edition is one deployment of the upstream.
 */
function correctDates(previous: PreviousDataSet, next: DataSet): DataSet {
  const { provenance } = next;
  const { captured: previousDay, edition: previousEdition } = previous.provenance;
  const hasSameRecords = previous.digest === next.digest;
  if (hasSameRecords) {
    // The records were seen before, so the previous day and edition are kept. If no
    // edition was known then, this one is the first.
    const edition = previousEdition ?? provenance.edition;
    return {
      ...next,
      provenance: { ...provenance, captured: previousDay, edition },
    };
  }
  if (provenance.captured >= previousDay) return next;
  // The clock is wrong, because these records cannot be older than those that they
  // replace.
  return { ...next, provenance: { ...provenance, captured: previousDay } };
}

/**
 * Continues the past, which is the history of changes, and the old slugs of renamed
 * records. Usually, the previous history gets one step, the change to the next data set.
 * But if the next data set is a copy whose own history continues the previous one, its
 * history is used, so that the same data set always results in the same site.
 *
 * The old slugs of both data sets are merged, and none is ever removed. If several records
 * had the same slug, it belongs to the last of them. Therefore the oldest slugs come first
 * in each call of `mergeOldSlugs`, in which later arguments take precedence.
 */
function continuePast(previous: PreviousDataSet, next: DataSet): Past {
  const previousPast = previous.readPast();
  const nextPast = next.readPast();
  const slugsBefore = previousPast.oldSlugs;
  const slugsOfChange = findSlugsOfChange(previous, next);
  const nextContinuesPrevious = continuesHistory(
    { history: nextPast.history, digest: next.digest },
    { history: previousPast.history, digest: previous.digest },
  );
  if (nextContinuesPrevious) {
    // The next data set knows every rename since the previous one, so its slugs come last.
    const oldSlugs = mergeOldSlugs(slugsBefore, slugsOfChange, nextPast.oldSlugs);
    return { history: nextPast.history, oldSlugs };
  }
  // The change has just happened, so its slugs come last.
  const oldSlugs = mergeOldSlugs(nextPast.oldSlugs, slugsBefore, slugsOfChange);
  return { history: addChange(previous, next), oldSlugs };
}

/** Finds the slugs that records lose by the change from one data set to the next. */
function findSlugsOfChange(previous: PreviousDataSet, next: DataSet): OldSlugs {
  if (previous.digest === next.digest) return noOldSlugs;
  return findOldSlugs(previous.readRecords(), next.readRecords());
}

/** Adds the change from one data set to the next to the history, if there is a change. */
function addChange(previous: PreviousDataSet, next: DataSet): History {
  const { history } = previous.readPast();
  if (previous.digest === next.digest) return history;
  const step = compare(withRecords(previous), withRecords(next));
  return extendHistory(history, step);
}

/** Returns a data set's summary together with its records. */
export function withRecords(dataSet: DataSet<AnyRecords>): SummarizedRecords {
  return { ...summarize(dataSet), records: dataSet.readRecords() };
}

function summarize({ digest, counts, provenance }: PreviousDataSet): DataSetSummary {
  const { captured, edition } = provenance;
  return { digest, captured, counts, edition };
}

function findNameChanges(
  previous: PreviousDataSet,
  next: DataSet,
): readonly NameChanges[] {
  if (previous.namesSummary?.digest === next.namesSummary?.digest) return [];
  return compareNames(
    { records: previous.readRecords(), names: previous.readNames() },
    { records: next.readRecords(), names: next.readNames() },
  );
}
