/** The interface of the sources: each of them returns one complete data set, or an error. */

import type { History } from '../contract/changes.ts';
import type { DataSet } from '../dataset/data-set.ts';
import type { Former } from '../dataset/former.ts';
import type { Waiting } from '../http/client.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import type { Site } from './site/read.ts';

/** The live upstream. */
export const DEFAULT_REST_UPSTREAM = 'https://pokeapi.co/api/v2';
/** The live upstream's tables. */
export const DEFAULT_CSV_UPSTREAM = 'https://raw.githubusercontent.com/PokeAPI/pokeapi/master/data/v2/csv';

/** Whether an upstream is a URL; anything else is a folder. */
export const isAddress = (upstream: string): boolean => /^https?:\/\//i.test(upstream);

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot', 'site'] as const;
export type SourceName = (typeof sourceNames)[number];

/** The progress of a source; `total` is 0 until it is known. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Counted on as the work goes on. */
  readonly requests: FetcherStats;
  /** The failed requests that wait for another attempt. */
  waiting(): Waiting;
}

export interface SourceResult {
  readonly dataSet: DataSet;
  /** The history of a snapshot or a site. */
  readonly history?: History | undefined;
  /** Its former slugs. */
  readonly former?: Former | undefined;
  /** The site that was read. */
  readonly site?: Site | undefined;
  /** The source that was read in the end; of a site, the one that it was built from. */
  readonly source: Exclude<SourceName, 'auto' | 'site'>;
  /** Undefined if no requests were necessary. */
  readonly requests?: FetcherStats | undefined;
  /** True if the cache is of the upstream's present edition, and no record was asked for. */
  readonly isCached?: boolean | undefined;
  /** What was doubtful and ignored, in sentences. */
  readonly notices?: readonly string[] | undefined;
  /** Why local data was read instead of the upstream. */
  readonly fallback?: string | undefined;
  /** The failure that caused it. */
  readonly cause?: Error | undefined;
}
