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
  /** The next data set, with the combined past of both data sets. */
  readonly dataSet: DataSet;
  /** The changes since the previous data set, with the newest step first. */
  readonly steps: readonly Comparison[];
  readonly nameChanges: readonly NameChanges[];
}

/**
 * Adds the change from the previous data set to the next one to the history. Before you
 * call this function, `checkUpdate`, which guards against upstream mistakes, must have
 * accepted the change.
 *
 * @param previous undefined if nothing is published
 * @param read the data set that was read
 * @param isCopy whether `read` is a copy of another data set, whose dates must not be
 * corrected
 */
export function advance(
  previous: PreviousDataSet | undefined,
  read: DataSet,
  { isCopy = false } = {},
): Update {
  if (!previous) return { dataSet: read, steps: [], nameChanges: [] };
  // The history contains the dates, so we correct them before we extend it.
  const next = isCopy ? read : correctDates(previous, read);
  const past = continuePast(previous, next);
  return {
    dataSet: { ...next, readPast: () => past },
    steps: stepsSince(past.history, previous.digest),
    nameChanges: findNameChanges(previous, next),
  };
}

/**
 * Corrects the capture date and the edition of a data set that was just read. Both must
 * say when its records were first seen. An edition is one deployment of the upstream.
 */
function correctDates(previous: PreviousDataSet, next: DataSet): DataSet {
  const { provenance } = next;
  const { captured: previousDay, edition: previousEdition } = previous.provenance;
  const hasSameRecords = previous.digest === next.digest;
  if (hasSameRecords) {
    // These records were seen before, so we keep the previous day and edition. If no
    // edition was known at the time, the new one is the first known edition.
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
 * Continues the past, which consists of the history of changes and the old slugs of
 * renamed records. Usually, this adds one step to the previous history: the change to
 * the next data set. But if the next data set is a copy whose own history continues the
 * previous one, we use the copy's history, so that the same data set always results in
 * the same site.
 *
 * We merge the old slugs of both data sets, and never remove one. A slug that several
 * records had belongs to the last of them. Therefore we pass the oldest slugs to
 * `mergeOldSlugs` first, because its later arguments take precedence.
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
    // The next data set includes every rename since the previous one, so its slugs come
    // last.
    const oldSlugs = mergeOldSlugs(slugsBefore, slugsOfChange, nextPast.oldSlugs);
    return { history: nextPast.history, oldSlugs };
  }
  // The change has just happened, so its slugs come last.
  const oldSlugs = mergeOldSlugs(nextPast.oldSlugs, slugsBefore, slugsOfChange);
  return { history: addChange(previous, next), oldSlugs };
}

/** Finds the slugs that records lose in the change from one data set to the next. */
function findSlugsOfChange(previous: PreviousDataSet, next: DataSet): OldSlugs {
  if (previous.digest === next.digest) return noOldSlugs;
  return findOldSlugs(previous.readRecords(), next.readRecords());
}

/**
 * Adds the change between two data sets to the history. Returns the history unchanged
 * if the data sets have the same records.
 */
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
