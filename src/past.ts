/** The past: what the data was before, and how a history goes on from there. */

import type { Captured } from './capture.ts';
import { compare } from './changes/compare.ts';
import { emptyHistory, extendHistory, mentions } from './changes/history.ts';
import type { History } from './contract/changes.ts';
import type { Previous } from './guards.ts';

/** The last data set, as a site or a snapshot has it. What is costly to read is read when it is asked for. */
export interface Past extends Previous {
  /** How that data came about; undefined where nothing says it. */
  history(): History | undefined;
}

/**
 * The history of a data set. One that came with the data, in a snapshot, holds wherever it knows what was before, so that
 * the same snapshot gives the same site; else that of the past goes on.
 */
export function historyOf({ provenance, records, counts, digest, past, history }: Captured): History {
  if (history && (!past || mentions(history, past.digest))) return history;
  if (!past) return emptyHistory;
  const before = past.history() ?? emptyHistory;
  // A history that does not end at the data it lies beside is another one's.
  const own = before.steps[0]?.to.digest === past.digest ? before : emptyHistory;
  if (past.digest === digest) return own;
  const old = past.records();
  if (!old) return emptyHistory;
  const { captured } = provenance;
  const from = { digest: past.digest, captured: past.captured, counts: past.counts, records: old };
  return extendHistory(own, compare(from, { digest, captured, counts, records }));
}
