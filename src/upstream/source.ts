import type { PreviousSite } from '../built/previous-site.ts';
import type { BuiltSite } from '../built/site.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import type { Skipped } from '../contract/records.ts';
import { listFirst } from '../contract/words.ts';
import {
  type AnyRecords,
  createDataSet,
  type DataSet,
} from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import type { Next } from '../dataset/update.ts';
import type { ClientOptions } from './client.ts';
import type { RequestStats } from './transport.ts';

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot', 'site'] as const;
export type SourceName = (typeof sourceNames)[number];

export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onFallback?: ((message: string, cause: Error) => void) | undefined;
  /**
   * Called with a problem that does not end the build, such as an interrupted
   * earlier build or a cache that is too large.
   */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /**
   * Called when the disk cache has stored responses, so that the same command would
   * not request them again.
   */
  readonly onStored?: (() => void) | undefined;
}

/** Loads one complete data set. */
export type Source = (context: SourceContext) => Promise<SourceResult>;

export interface SourceContext extends ClientOptions, Watchers {
  readonly source: SourceName;
  readonly upstream: string | undefined;
  readonly dataFolder: string;
  /** The folder of the disk cache. If undefined, no cache is used. */
  readonly cacheFolder: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The capture date of data that is fetched now, in the form `YYYY-MM-DD`. */
  readonly today: string;
  readonly skip?: Skipped | undefined;
  /**
   * Whether the data set includes the names in all languages. The default is true.
   */
  readonly hasNames?: boolean | undefined;
  /**
   * Returns whether to read a copied site's icons, which may depend on the site's
   * links. By default, no icons are read.
   */
  readonly hasIcons?: ((meta: Meta | undefined) => boolean) | undefined;
  /**
   * Reads the published records. If a source cannot find out which icons exist, it
   * keeps the icons of these records.
   */
  readonly readPublished?: (() => AnyRecords | undefined) | undefined;
  /**
   * Whether anything is published in the output folder. If so, the source `auto` does
   * not fall back to other data. The default is false.
   */
  readonly isPublished?: boolean | undefined;
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
  /**
   * The published site. A file with the same hash is read from it instead of being
   * requested again.
   */
  readonly previous?: PreviousSite | undefined;
}

export interface Progress {
  readonly done: number;
  /** The total number of records or files, or 0 until it is known. */
  readonly total: number;
  readonly requests: Readonly<RequestStats>;
}

export interface SourceResult extends Next {
  readonly site?: BuiltSite | undefined;
  /**
   * The source that was actually read. For a copied site, this is the source from
   * which that site was built.
   */
  readonly source: Exclude<SourceName, 'auto' | 'site'>;
  readonly requests?: Readonly<RequestStats> | undefined;
  /**
   * Whether all records come from the cache, because the upstream's edition has not
   * changed.
   */
  readonly isCached?: boolean | undefined;
  readonly notices?: readonly string[] | undefined;
}

/** The record ids for each kind. */
type RecordIds = Readonly<Record<Kind, readonly { readonly id: number }[]>>;

/**
 * Describes the skipped records that do not exist. They are no error, because the
 * configuration file outlives the upstream's mistake.
 */
export function describeUnknownSkips(
  skip: Skipped | undefined,
  records: RecordIds,
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

/**
 * Removes skipped records from a complete data set, including their names and
 * warnings.
 *
 * If the data set was captured without certain records, these records are still
 * listed as skipped.
 */
export function removeSkipped(dataSet: DataSet, { skip }: SourceContext): DataSet {
  if (!skip) return dataSet;
  const { provenance, warnings } = dataSet;
  const skippedBefore = mapKinds((kind) => provenance.skipped?.[kind] ?? []);
  const records = mapKinds((kind) =>
    dataSet.records[kind].filter(({ id }) => !skip[kind].includes(id)),
  );
  const skipped = mapKinds((kind) => {
    const ids = new Set([...skippedBefore[kind], ...skip[kind]]);
    return [...ids].sort((a, b) => a - b);
  });
  const names: Names[] = [];
  for (const languageNames of dataSet.readNames()) {
    names.push(selectNames(languageNames, records));
  }
  return createDataSet(records, names, {
    warnings: warnings.filter(({ kind, id }) => !skip[kind].includes(id)),
    provenance: { ...provenance, skipped },
  });
}
