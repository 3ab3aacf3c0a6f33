/** The seam of the sources: wherever the data comes from, a source gives one complete data set or an error. */

import type { DataSet } from '../contract/data-set.ts';
import type { FetcherStats } from '../http/fetcher.ts';

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot'] as const;
export type SourceName = (typeof sourceNames)[number];

/** How far a source has come; `total` is 0 until it is known. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: FetcherStats;
}

export interface SourceResult {
  readonly dataSet: DataSet;
  /** The source that was read in the end: `auto` never is. */
  readonly source: Exclude<SourceName, 'auto'>;
  /** What was sent and received; undefined where nothing had to be. */
  readonly requests?: FetcherStats | undefined;
  /** Why local data was read although the upstream was asked for. */
  readonly fallback?: string | undefined;
  /** The failure that led to it. */
  readonly cause?: Error | undefined;
}
