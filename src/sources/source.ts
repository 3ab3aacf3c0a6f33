import type { PreviousSite } from '../built/previous-site.ts';
import type { BuiltSite } from '../built/site.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Skipped } from '../contract/records.ts';
import { type AnyRecords, createDataSet, type DataSet } from '../dataset/data-set.ts';
import { selectNames } from '../dataset/names.ts';
import type { Next } from '../dataset/update.ts';
import { UsageError } from '../errors.ts';
import type { Fetcher, FetcherOptions, FetcherStats } from '../http/fetcher.ts';

export const sourceNames = ['auto', 'rest', 'csv', 'snapshot', 'site'] as const;
export type SourceName = (typeof sourceNames)[number];

export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onFallback?: ((message: string, cause: Error) => void) | undefined;
  /**
   * Called with a problem that does not end the build, such as an interrupted build before it or a
   * cache that is too large.
   */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Called when the disk cache has responses that the same command would not request again. */
  readonly onStored?: (() => void) | undefined;
}

/** Returns one complete data set. */
export type Source = (context: SourceContext) => Promise<SourceResult>;

export interface SourceContext extends FetcherOptions, Watchers {
  readonly source: SourceName;
  readonly upstream: string | undefined;
  readonly dataFolder: string;
  /** The capture date of data fetched now, `YYYY-MM-DD`. */
  readonly today: string;
  readonly skip?: Skipped | undefined;
  /** Whether the data set has the names in every language. Default true. */
  readonly hasNames?: boolean | undefined;
  /** Whether to read the icons of a site, which may depend on the site's links. Default false. */
  readonly hasIcons?: ((meta: Meta | undefined) => boolean) | undefined;
  /** Reads earlier records, whose icons a source keeps if it cannot find out which icons exist. */
  readonly readEarlier?: (() => EarlierRecords) | undefined;
  /**
   * Where to request the list of icons for tables. Default: the list of the upstream's repository,
   * for its tables.
   */
  readonly iconListUrl?: string | undefined;
  /** Limits the sum of what a source keeps in memory. Default: `MAX_MEMORY_BYTES`. */
  readonly maxMemoryBytes?: number | undefined;
  /** The published site. Files with the same hash are not requested again. */
  readonly previous?: PreviousSite | undefined;
}

export interface EarlierRecords {
  readonly published: AnyRecords | undefined;
  readonly bundled: AnyRecords | undefined;
}

export interface Progress {
  readonly done: number;
  /** 0 until it is known. */
  readonly total: number;
  readonly requests: FetcherStats;
  readonly waiting: Fetcher['getRetryStatus'];
}

export interface SourceResult extends Next {
  readonly site?: BuiltSite | undefined;
  /** The source that was actually read. For a site, the source that the site was built from. */
  readonly source: Exclude<SourceName, 'auto' | 'site'>;
  readonly requests?: FetcherStats | undefined;
  /** True if every record comes from the cache because the upstream's edition has not changed. */
  readonly isCached?: boolean | undefined;
  readonly notices?: readonly string[] | undefined;
}

/** The ids of each kind's records. */
type RecordIds = Readonly<Record<Kind, readonly { readonly id: number }[]>>;

/**
 * @throws UsageError if `--skip` names a record that does not exist, because it may be a typing
 * error
 */
export function assertSkipsExist(skip: Skipped | undefined, records: RecordIds): void {
  if (!skip) return;
  for (const kind of kindNames) {
    const existingIds = new Set(records[kind].map(({ id }) => id));
    const unknownId = skip[kind].find((id) => !existingIds.has(id));
    if (unknownId === undefined) continue;
    throw new UsageError(`got ${kind}/${unknownId}, expected an existing record`, {
      option: '--skip',
    });
  }
}

export const hintAtSkip = (kind: Kind, id: number): string =>
  `To build without this record, add --skip ${kind}/${id}.`;

/**
 * Removes skipped records from a complete data set, with their names and warnings.
 *
 * The data set may have been captured without other records. They stay listed as skipped.
 */
export function removeSkipped(dataSet: DataSet, { skip, source }: SourceContext): DataSet {
  if (!skip) return dataSet;
  const { provenance, warnings, names } = dataSet;
  const skippedBefore = mapKinds((kind) => provenance.skipped?.[kind] ?? []);
  // A fallback may lack upstream records, and a copied site may have been built without some.
  if (source !== 'auto' && source !== 'site') {
    const newlySkipped = mapKinds((kind) =>
      skip[kind].filter((id) => !skippedBefore[kind].includes(id)),
    );
    assertSkipsExist(newlySkipped, dataSet.records);
  }
  const records = mapKinds((kind) =>
    dataSet.records[kind].filter(({ id }) => !skip[kind].includes(id)),
  );
  const skipped = mapKinds((kind) => {
    const ids = new Set([...skippedBefore[kind], ...skip[kind]]);
    return [...ids].sort((a, b) => a - b);
  });
  return createDataSet(records, {
    warnings: warnings.filter(({ kind, id }) => !skip[kind].includes(id)),
    provenance: { ...provenance, skipped },
    names: names.map((languageNames) => selectNames(languageNames, records)),
  });
}
