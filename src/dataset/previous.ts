/** The previous data set, and how a history continues from it. */

import type { DataSetSummary, History } from '../contract/changes.ts';
import type { Counts } from '../contract/records.ts';
import { DataError } from '../errors.ts';
import { compare } from './compare.ts';
import type { EncodedRecords, FindPublished } from './data-set.ts';
import type { Previous } from './guards.ts';
import { emptyHistory, extendHistory, mentions } from './history.ts';

/** The last published data set, of a site or a snapshot. What is expensive to read is read on demand. */
export interface PreviousDataSet extends Previous {
  readonly counts: Counts;
  /** Its history; undefined if it has none. Throws if it has one that cannot be read. */
  history(): History | undefined;
  /** Undefined if other code has validated the published records. */
  readonly findPublished?: FindPublished | undefined;
}

/** What a new data set brings along. */
export interface NewDataSet extends DataSetSummary {
  records(): EncodedRecords;
  /** The history that a snapshot came with. */
  readonly history: History | undefined;
}

const FORGET_HINT =
  'Restore them from a copy of the site, or start a new history with --forget-history: redirects of renamed records are then lost.';

/**
 * The history of a new data set. If it came with one that includes the previous data set, that one counts, so that the
 * same snapshot always gives the same site. Otherwise the previous data set's history continues.
 *
 * @throws DataError if it cannot be continued, since every redirect would go with it
 */
export function continueHistory(data: NewDataSet, previous: PreviousDataSet | undefined): History {
  const { history } = data;
  if (history && (!previous || mentions(history, previous.digest))) return history;
  if (!previous) return emptyHistory;
  const published = previous.history() ?? emptyHistory;
  // A history that does not end at its data set belongs to another one.
  const own = published.steps[0]?.to.digest === previous.digest ? published : emptyHistory;
  if (previous.digest === data.digest) return own;
  const { before, after } = previous.differences(data.records());
  if (!before && own.steps.length > 0) {
    const problem =
      'list pages of the published site are not as they were published: its history cannot be continued';
    throw new DataError(problem, {}, { hint: FORGET_HINT });
  }
  if (!before) return emptyHistory;
  return extendHistory(own, compare({ ...previous, records: before }, { ...data, records: after }));
}
