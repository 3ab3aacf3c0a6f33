import type { Comparison, DataSetSummary, History } from '../contract/changes.ts';
import { compare, type SummarizedRecords } from './compare.ts';
import type { AnyRecords, DataSet, PreviousDataSet } from './data-set.ts';
import { extendHistory, includesHistory, stepsSince } from './history.ts';
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
 * Continues the past of the previous data set with the change to the next one. The
 * guard must have accepted the change, and the dates must be final (`keepDates`), because
 * the history contains them.
 *
 * @param previous undefined if nothing is published
 */
export function advance(
  previous: PreviousDataSet | undefined,
  next: DataSet,
): Update {
  if (!previous) return { dataSet: next, steps: [], nameChanges: [] };
  const past = continuePast(previous, next);
  return {
    dataSet: { ...next, readPast: () => past },
    steps: stepsSince(past.history, previous.digest),
    nameChanges: findNameChanges(previous, next),
  };
}

/**
 * Keeps the dates of the previous data set if the records are the same, because the
 * dates record when this state was first seen. Changed records get the day on which
 * they were read, but are never dated before the previous data set, even if the
 * clock is wrong. A copy of another data set keeps its own dates and does not need
 * this function.
 */
export function keepDates(
  previous: PreviousDataSet | undefined,
  next: DataSet,
): DataSet {
  if (!previous) return next;
  const { provenance } = next;
  const { captured, edition } = previous.provenance;
  if (previous.digest === next.digest) {
    const firstEdition = edition ?? provenance.edition;
    return {
      ...next,
      provenance: { ...provenance, captured, edition: firstEdition },
    };
  }
  if (captured <= provenance.captured) return next;
  return { ...next, provenance: { ...provenance, captured } };
}

/**
 * Continues the past. Old slugs are only added, never removed. If several records
 * had the same slug, it belongs to the last one. If the next data set has a history that
 * continues the previous one, its old slugs are newer than all others.
 */
function continuePast(previous: PreviousDataSet, next: DataSet): Past {
  const previousPast = previous.readPast();
  const nextPast = next.readPast();
  const nextHistory = chooseHistory(previous, next);
  const isSame = previous.digest === next.digest;
  const renamed = isSame
    ? noOldSlugs
    : findOldSlugs(previous.readRecords(), next.readRecords());
  if (nextHistory) {
    return {
      history: nextHistory,
      oldSlugs: mergeOldSlugs(previousPast.oldSlugs, renamed, nextPast.oldSlugs),
    };
  }
  return {
    history: isSame ? previousPast.history : addStep(previous, next),
    oldSlugs: mergeOldSlugs(nextPast.oldSlugs, previousPast.oldSlugs, renamed),
  };
}

/**
 * Returns the next data set's own history if it continues the previous history. A
 * copy of another data set may have one. This way, the same data set always results
 * in the same site.
 */
function chooseHistory(
  previous: PreviousDataSet,
  next: DataSet,
): History | undefined {
  const { history } = next.readPast();
  const previousHistory = previous.readPast().history;
  const isContinued = includesHistory(
    { history, digest: next.digest },
    { history: previousHistory, digest: previous.digest },
  );
  return isContinued ? history : undefined;
}

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
