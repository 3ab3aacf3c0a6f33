import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Skipped } from '../contract/records.ts';
import { listFirst } from '../contract/words.ts';
import type { DataSet, PreviousDataSet } from '../data/data-set.ts';
import type { ClientOptions } from './client.ts';
import type { RequestStats } from './transport.ts';

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot'] as const;
export type SourceName = (typeof sourceNames)[number];

export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onFallback?: ((message: string, cause: Error) => void) | undefined;
  /**
   * Called with each problem that does not end the build, such as an interrupted
   * earlier build or a cache that is too large.
   */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Loads one complete data set. */
export type Source = (context: SourceContext) => Promise<SourceResult>;

export interface SourceContext extends ClientOptions, Watchers {
  readonly source: SourceName;
  readonly upstream: string | undefined;
  readonly dataFolder: string;
  /** The folder of the disk cache. If undefined, no cache is used. */
  readonly cacheFolder: string | undefined;
  /** The capture date of data that is fetched now, in the form `YYYY-MM-DD`. */
  readonly today: string;
  readonly skip?: Skipped | undefined;
  /**
   * The data set that is published in the output folder, or undefined if nothing is
   * published. If a source cannot find out which icons exist, it keeps the icons of these
   * records. The source `auto` never replaces this data set with the bundled one.
   */
  readonly previous?: PreviousDataSet | undefined;
  /** Called after each list of records has been read. */
  readonly onListRead?: (() => void) | undefined;
  /**
   * The URL of the icon list. By default, tables in the upstream's repository use
   * that project's icon list.
   */
  readonly iconListUrl?: string | undefined;
  /**
   * The limit for all data that a source keeps in memory. The default is
   * `MAX_MEMORY_BYTES`.
   */
  readonly maxMemoryBytes?: number | undefined;
}

export interface Progress {
  readonly done: number;
  /** The total number of records or files, or 0 until it is known. */
  readonly total: number;
  readonly requests: Readonly<RequestStats>;
}

export interface SourceResult {
  readonly dataSet: DataSet;
  /**
   * The source that was actually read. For a copied site, this is the source that the
   * site states.
   */
  readonly source: Exclude<SourceName, 'auto'>;
  /**
   * Whether the data set comes from a data set folder or a site. Such data was already
   * checked and dated when it was captured.
   */
  readonly isCopy: boolean;
  /** The reason for reading the bundled data instead of the upstream. */
  readonly fallback?: string | undefined;
  readonly requests?: Readonly<RequestStats> | undefined;
  /**
   * Whether all records come from the cache, because the upstream's edition has not
   * changed.
   */
  readonly isCached?: boolean | undefined;
  readonly notices?: readonly string[] | undefined;
}

/** Returns the records of each kind that are not skipped. */
export function omitSkipped<R extends { readonly id: number }>(
  records: Readonly<Record<Kind, readonly R[]>>,
  skip: Skipped | undefined,
): Record<Kind, R[]> {
  return mapKinds((kind) => {
    const skippedIds = skip?.[kind] ?? [];
    return records[kind].filter(({ id }) => !skippedIds.includes(id));
  });
}

/**
 * Reports ids in `--skip` that the upstream does not list. This is not an error, because
 * an operator may leave `--skip` in the configuration file after the upstream has removed
 * a broken record.
 */
export function describeUnknownSkips(
  skip: Skipped | undefined,
  records: Readonly<Record<Kind, readonly { readonly id: number }[]>>,
): string[] {
  if (!skip) return [];
  const unknown: string[] = [];
  for (const kind of kindNames) {
    const existingIds = new Set(records[kind].map(({ id }) => id));
    for (const id of skip[kind]) {
      if (!existingIds.has(id)) unknown.push(`${kind}/${id}`);
    }
  }
  if (unknown.length === 0) return [];
  return [`--skip names records that do not exist: ${listFirst(unknown)}`];
}
