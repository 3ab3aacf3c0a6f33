/** The previous data set, and how a history continues from it. */

import type { DataSetSummary, History } from '../contract/changes.ts';
import { DataError } from '../errors.ts';
import { compare, type SummarizedRecords } from './compare.ts';
import type { EncodedRecords } from './data-set.ts';
import type { NamedRecords } from './guards.ts';
import { emptyHistory, extendHistory, mentions } from './history.ts';

/** The last published data set, of a site or a snapshot. */
export interface Previous extends DataSetSummary {
  /** Undefined if they cannot be read as they were published: the next build replaces them. */
  records(): EncodedRecords | undefined;
  /** What it had all the same, if its records cannot be read. */
  readonly listed?: NamedRecords;
  /** Its history; undefined if it has none. Throws if it has one that cannot be read. */
  history(): History | undefined;
}

const FORGET_HINT =
  'Restore them from a copy of the site, or start a new history with --forget-history: redirects of renamed records are then lost.';

/**
 * The history of a new data set. If it came with one that includes the previous data set, that one counts, so that the
 * same snapshot always gives the same site. Otherwise the previous data set's history continues.
 *
 * @param before the records of the previous data set; undefined if they cannot be read
 * @throws DataError if it cannot be continued, since every redirect would go with it
 */
export function continueHistory(
  data: SummarizedRecords & { readonly history: History | undefined },
  previous: Previous | undefined,
  before: EncodedRecords | undefined,
): History {
  const { history } = data;
  if (history && (!previous || mentions(history, previous.digest))) return history;
  if (!previous) return emptyHistory;
  const published = previous.history() ?? emptyHistory;
  // A history that does not end at its data set belongs to another one.
  const own = published.steps[0]?.to.digest === previous.digest ? published : emptyHistory;
  if (previous.digest === data.digest) return own;
  if (before) return extendHistory(own, compare({ ...previous, records: before }, data));
  if (own.steps.length === 0) return emptyHistory;
  const problem =
    'list pages of the published site are not as they were published: its history cannot be continued';
  throw new DataError(problem, {}, { hint: FORGET_HINT });
}
