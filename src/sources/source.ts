/** The seam of the sources: wherever the data comes from, a source gives one complete data set or an error. */

import type { History } from '../contract/changes.ts';
import type { EncodedDataSet } from '../contract/data-set.ts';
import type { FetcherStats } from '../http/fetcher.ts';

/** The live upstream. */
export const DEFAULT_REST_UPSTREAM = 'https://pokeapi.co/api/v2';
/** The live upstream's tables. */
export const DEFAULT_CSV_UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

/** Whether an upstream is an address; anything else is a folder. */
export const isAddress = (upstream: string): boolean => /^https?:\/\//i.test(upstream);

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot'] as const;
export type SourceName = (typeof sourceNames)[number];

/** How far a source has come; `total` is 0 until it is known. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: FetcherStats;
}

export interface SourceResult {
  readonly dataSet: EncodedDataSet;
  /** How the data came about, where that came with it. */
  readonly history?: History | undefined;
  /** The source that was read in the end: `auto` never is. */
  readonly source: Exclude<SourceName, 'auto'>;
  /** What was sent and received; undefined where nothing had to be. */
  readonly requests?: FetcherStats | undefined;
  /** Why local data was read although the upstream was asked for. */
  readonly fallback?: string | undefined;
  /** The failure that led to it. */
  readonly cause?: Error | undefined;
}
