/** The previous data set, and how a history continues from it. */

import type { DataSetSummary, History } from '../contract/changes.ts';
import type { Counts } from '../contract/records.ts';
import { compare } from './compare.ts';
import type { EncodedRecords } from './data-set.ts';
import type { Previous } from './guards.ts';
import { emptyHistory, extendHistory, mentions } from './history.ts';

/** The last published data set, of a site or a snapshot. What is expensive to read is read on demand. */
export interface PreviousDataSet extends Previous {
  readonly counts: Counts;
  /** Its history; undefined if it has none. Throws if it has one that cannot be read. */
  history(): History | undefined;
  /** Every record; undefined if they cannot be read as they were written. */
  records(): EncodedRecords | undefined;
}

/** What a new data set brings along. */
export interface NewDataSet extends DataSetSummary {
  records(): EncodedRecords;
  /** The history that a snapshot came with. */
  readonly history: History | undefined;
}

/**
 * The history of a new data set. If it came with one that includes the previous data set, that one counts, so that the
 * same snapshot always gives the same site. Otherwise the previous data set's history continues.
 */
export function continueHistory(data: NewDataSet, previous: PreviousDataSet | undefined): History {
  const { history } = data;
  if (history && (!previous || mentions(history, previous.digest))) return history;
  if (!previous) return emptyHistory;
  const before = previous.history() ?? emptyHistory;
  // A history that does not end at its data set belongs to another one.
  const own = before.steps[0]?.to.digest === previous.digest ? before : emptyHistory;
  if (previous.digest === data.digest) return own;
  const records = previous.records();
  if (!records) return emptyHistory;
  return extendHistory(own, compare({ ...previous, records }, { ...data, records: data.records() }));
}
