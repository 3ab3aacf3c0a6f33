import type { Comparison, DataSetSummary, History } from '../contract/changes.ts';
import { compare, type SummarizedRecords } from './compare.ts';
import type { AnyRecords, DataSet, PreviousDataSet } from './data-set.ts';
import { continuesHistory, extendHistory, stepsSince } from './history.ts';
import { compareNames, type NameChanges } from './names.ts';
import { findOldSlugs, mergeOldSlugs, noOldSlugs } from './old-slugs.ts';
import type { Past } from './past.ts';

/** An update from the previous data set to the next one. */
export interface Update {
  /** The next data set, with the past of both data sets. */
  readonly dataSet: DataSet;
  /** The changes since the previous data set, with the newest step first. */
  readonly steps: readonly Comparison[];
  readonly nameChanges: readonly NameChanges[];
}

/**
 * Continues the past of the previous data set with the change to the next one, which
 * the guard must have accepted. The dates come first, because the history contains them.
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
 * its records were seen for the first time. If the previous data set has the same records,
 * its day and its edition are kept. Otherwise, the day of the new data set is right, unless
 * it is before the previous day.
 */
function correctDates(previous: PreviousDataSet, next: DataSet): DataSet {
  const { provenance } = next;
  const { captured: previousDay, edition: previousEdition } = previous.provenance;
  if (previous.digest === next.digest) {
    // If no edition was known then, this one is the first.
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
 * Continues the past. Old slugs are only added, never removed.
 *
 * If the next data set's own history continues the previous one, it is used. A copy of
 * another data set may have such a history, so the same data set always results in the
 * same site. Otherwise, the previous history gets one step.
 *
 * If several records had the same slug, it belongs to the last one. Therefore the old
 * slugs are merged in the order of time: the later ones of two data sets come last.
 */
function continuePast(previous: PreviousDataSet, next: DataSet): Past {
  const previousPast = previous.readPast();
  const nextPast = next.readPast();
  const isSame = previous.digest === next.digest;
  const renamedSlugs = isSame
    ? noOldSlugs
    : findOldSlugs(previous.readRecords(), next.readRecords());
  const isContinued = continuesHistory(
    { history: nextPast.history, digest: next.digest },
    { history: previousPast.history, digest: previous.digest },
  );
  if (isContinued) {
    // The next past contains everything that happened after the previous data set.
    const { history } = nextPast;
    const { oldSlugs: earlierSlugs } = previousPast;
    return {
      history,
      oldSlugs: mergeOldSlugs(earlierSlugs, renamedSlugs, nextPast.oldSlugs),
    };
  }
  // The change to the next data set is then the last thing that happened.
  const history = isSame ? previousPast.history : addStep(previous, next);
  return {
    history,
    oldSlugs: mergeOldSlugs(nextPast.oldSlugs, previousPast.oldSlugs, renamedSlugs),
  };
}

/** Adds the change from the previous data set to the next one to the previous history. */
function addStep(previous: PreviousDataSet, next: DataSet): History {
  const step = compare(withRecords(previous), withRecords(next));
  return extendHistory(previous.readPast().history, step);
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
