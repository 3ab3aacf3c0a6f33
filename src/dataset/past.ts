import type { DataSetSummary, History } from '../contract/changes.ts';
import { compare, type SummarizedRecords } from './compare.ts';
import type { AnyRecords } from './data-set.ts';
import { emptyHistory, extendHistory, includesHistory } from './history.ts';
import {
  type AddressedRecords,
  findOldSlugs,
  mergeOldSlugs,
  noOldSlugs,
  type OldSlugs,
} from './old-slugs.ts';

/** A data set's past: its earlier changes, and the old slugs of its records. */
export interface Past {
  /** The changes that led to the data set, with the newest step first. */
  readonly history: History;
  readonly oldSlugs: OldSlugs;
}

export const emptyPast: Past = { history: emptyHistory, oldSlugs: noOldSlugs };

/** A data set's past, and notices about it for the user. */
export interface PastWithNotices extends Past {
  readonly notices: readonly string[];
}

export const RESTART =
  'the feed of changes starts again, because the published history cannot be continued';

export interface StateWithPast extends SummarizedRecords {
  readonly past: Past;
}

/** The readable parts of the previous data set. */
export interface PreviousState extends DataSetSummary {
  /** Undefined if the records are damaged. */
  readonly records: AnyRecords | undefined;
  /**
   * The ids and slugs of the records. They may be readable even if the records are
   * damaged.
   */
  readonly addresses: AddressedRecords;
  readonly past: Past;
}

/**
 * Continues the past of the previous data set with the change to the next data set,
 * which has other records.
 *
 * The next data set may have its own past if it was copied from a snapshot or a
 * site. Its history is used if it includes the previous history. This way, the same
 * snapshot always results in the same site. Otherwise, for example if an older
 * archive is restored, the previous history is kept, and a step from the previous
 * data set to the next one is added.
 *
 * Old slugs are only added, never removed. If several records had the same slug, it
 * belongs to the last one.
 */
export function continuePast(
  next: StateWithPast,
  previous: PreviousState,
): PastWithNotices {
  const oldSlugs = mergeOldSlugs(
    next.past.oldSlugs,
    previous.past.oldSlugs,
    findOldSlugs(previous.addresses, next.records),
  );
  const { history, notices } = continueHistory(next, previous);
  return { history, oldSlugs, notices };
}

/**
 * Continues the past if the data set has not changed. There is no step to add, but
 * the source may have a longer history, or more old slugs.
 */
export function keepPast(next: Past, previous: Past, digest: string): Past {
  const isIncluded = includesHistory(
    { history: next.history, digest },
    { history: previous.history, digest },
  );
  return {
    history: isIncluded ? next.history : previous.history,
    oldSlugs: mergeOldSlugs(next.oldSlugs, previous.oldSlugs),
  };
}

interface ContinuedHistory {
  readonly history: History;
  readonly notices: readonly string[];
}

/**
 * Chooses one of the two histories or extends the previous one, as described for
 * `continuePast`.
 */
function continueHistory(
  next: StateWithPast,
  previous: PreviousState,
): ContinuedHistory {
  const nextHistory = next.past.history;
  const previousHistory = previous.past.history;
  const isIncluded = includesHistory(
    { history: nextHistory, digest: next.digest },
    { history: previousHistory, digest: previous.digest },
  );
  if (isIncluded) return { history: nextHistory, notices: [] };

  // Without the previous records, the change cannot be described. A snapshot or a
  // site may still provide its own history. Otherwise, the history is empty.
  const { records } = previous;
  if (!records) return { history: nextHistory, notices: [RESTART] };
  const step = compare({ ...previous, records }, next);
  return { history: extendHistory(previousHistory, step), notices: [] };
}
