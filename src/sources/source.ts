/** The interface of the sources: each of them returns one complete data set, or an error. */

import type { History } from '../contract/changes.ts';
import type { Skipped } from '../contract/records.ts';
import type { DataSet } from '../dataset/data-set.ts';
import type { Former } from '../dataset/former.ts';
import type { Waiting } from '../http/client.ts';
import type { FetcherOptions, FetcherStats } from '../http/fetcher.ts';
import type { LocalSite } from './site/local.ts';
import type { Site } from './site/read.ts';

/** Whether an upstream is a URL; anything else is a folder. */
export const isUrl = (upstream: string): boolean => /^https?:\/\//i.test(upstream);

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot', 'site'] as const;
export type SourceName = (typeof sourceNames)[number];

/** Observers of a source. */
export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called if local data is read instead of the upstream. */
  readonly onFallback?: ((message: string, cause: Error | undefined) => void) | undefined;
  /** Called with the recovery result of an interrupted build, if the work fails after that. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Reads a complete data set, or rejects with the reason. */
export type Source = (context: SourceContext) => Promise<SourceResult>;

export interface SourceContext extends FetcherOptions, Watchers {
  readonly source: SourceName;
  /** A URL or a folder; undefined for the source's default. */
  readonly upstream: string | undefined;
  readonly dataFolder: string;
  /** The capture date of data fetched now, `YYYY-MM-DD`. */
  readonly today: string;
  /** Overrides the number of retries of the very first request. */
  readonly firstRetries?: number | undefined;
  readonly skip?: Skipped | undefined;
  /** Whether the data set has the names in every language. Default true. */
  readonly hasNames?: boolean | undefined;
  /** Whether old slugs that cannot be read may be lost. Default false. */
  readonly forgetHistory?: boolean | undefined;
  /** Whether the icons of a site are read. Default false. */
  readonly hasIcons?: boolean | undefined;
  /** What a deployment need not send. */
  readonly local?: LocalSite | undefined;
}

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
  /** The history and old slugs of a snapshot or a site. */
  readonly history?: History | undefined;
  readonly former?: Former | undefined;
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
  readonly cause?: Error | undefined;
}
