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

/** How a data set came about: its earlier changes, and the slugs that its records had before. */
export interface Past {
  /** The changes that led to the data set, newest step first. */
  readonly history: History;
  readonly oldSlugs: OldSlugs;
}

export const emptyPast: Past = { history: emptyHistory, oldSlugs: noOldSlugs };

/** A past, and what its reader must report to the user. */
export interface PastWithNotices extends Past {
  readonly notices: readonly string[];
}

export const RESTART =
  'the feed of changes starts again, because the published history cannot be continued';

export interface StateWithPast extends SummarizedRecords {
  readonly past: Past;
}

/** The previous data set, as far as it can be read. */
export interface PreviousState extends DataSetSummary {
  /** Undefined if the records are damaged. */
  readonly records: AnyRecords | undefined;
  /** The ids and slugs of the records, which may be known even if the records are damaged. */
  readonly addresses: AddressedRecords;
  readonly past: Past;
}

/**
 * Continues the past of the previous data set with the change to the next one.
 *
 * The next data set may bring a past of its own, because it was copied from a snapshot or a site.
 * Its history is used if it includes the previous history, so that the same snapshot always gives
 * the same site. Otherwise, for example if an older archive is restored, the previous history is
 * kept, and one step from the previous data set to the next one is added.
 *
 * Old slugs are only ever added. If a slug belonged to several records, the last one keeps it.
 */
export function continuePast(
  next: StateWithPast,
  previous: PreviousState | undefined,
): PastWithNotices {
  if (!previous) return { ...next.past, notices: [] };
  const oldSlugs = mergeOldSlugs(
    next.past.oldSlugs,
    previous.past.oldSlugs,
    findOldSlugs(previous.addresses, next.records),
  );
  const { history, notices } = continueHistory(next, previous);
  return { history, oldSlugs, notices };
}

interface ContinuedHistory {
  readonly history: History;
  readonly notices: readonly string[];
}

/** Chooses or continues a history, in the order that `continuePast` describes. */
function continueHistory(next: StateWithPast, previous: PreviousState): ContinuedHistory {
  const nextHistory = next.past.history;
  const previousHistory = previous.past.history;
  const isIncluded = includesHistory(
    { history: nextHistory, digest: next.digest },
    { history: previousHistory, digest: previous.digest },
  );
  if (isIncluded) return { history: nextHistory, notices: [] };

  // Unchanged data adds no step.
  if (previous.digest === next.digest) return { history: previousHistory, notices: [] };

  // Without the previous records, the change cannot be described.
  const { records } = previous;
  if (!records) return { history: emptyHistory, notices: [RESTART] };
  const step = compare({ ...previous, records }, next);
  return { history: extendHistory(previousHistory, step), notices: [] };
}
