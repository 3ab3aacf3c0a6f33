/** Captures a data set: reads it from a source, and lets the guards decide whether it is plausible. */

import type { Comparison, History } from '../contract/changes.ts';
import type { DataSet, EncodedRecords, Provenance } from '../dataset/data-set.ts';
import { type Missing, refuseLostNames, refuseOldData, refuseShrinking } from '../dataset/guards.ts';
import { continueHistory, type Previous, stepsSince } from '../dataset/history.ts';
import { compareNames, type NameChanges } from '../dataset/names.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import { type LoadOptions, load } from './load.ts';
import { readSnapshotCounts } from './snapshot.ts';
import type { Progress, SourceResult } from './source.ts';

/** What a caller may observe while data is read. */
export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called if local data is read instead of the upstream. */
  readonly onFallback?: ((message: string, cause: Error | undefined) => void) | undefined;
}

export interface Captured extends DataSet {
  readonly history: History;
  /** What has changed since the previous data set, newest first. */
  readonly steps: readonly Comparison[];
  /** Records that the previous data set had and this one has not. */
  readonly missing: Missing;
  /** What has become of the names since then: empty if nothing has, or none were wanted. */
  readonly nameChanges: readonly NameChanges[];
  readonly source: SourceResult['source'];
  readonly fallback: string | null;
  readonly requests: FetcherStats | null;
  /** True if the cache is of the upstream's present edition, and no record was asked for. */
  readonly isCached: boolean;
  /** What was doubtful and ignored. */
  readonly notices: readonly string[];
}

export interface CaptureOptions extends LoadOptions, Watchers {
  /** The percentage of a kind's records that may disappear. */
  readonly maxShrink: number;
  /** The age that data may have, in days; undefined for any. */
  readonly maxAge?: number | undefined;
  /** Records that may disappear in addition, as `<kind>/<slug>`. */
  readonly allowMissing: readonly string[];
  /** The previous data set, which may depend on the source that was read; undefined if there is none. */
  readonly previousOf: (loaded: SourceResult) => Previous | undefined;
}

const UNGUARDED = 'no earlier data is known, not even a bundled data set: --max-shrink could not be applied';

export async function capture(options: CaptureOptions): Promise<Captured> {
  const loaded = await load(options);
  const { dataSet, source, fallback, history, cause, requests, isCached = false } = loaded;
  if (fallback !== undefined) options.onFallback?.(fallback, cause);
  const previous = options.previousOf(loaded);
  const provenance =
    source === 'snapshot' ? dataSet.provenance : sinceUnchanged(dataSet.provenance, dataSet.digest, previous);
  const { captured, edition } = provenance;
  // An upstream that is deployed anew without a change of ours is not old.
  refuseOldData({ captured, edition: dataSet.provenance.edition }, options);
  const before = previous?.digest === dataSet.digest ? dataSet.records : previous?.records();
  // A snapshot was guarded when it was captured.
  const isGuarded = previous !== undefined || source === 'snapshot';
  const floor = isGuarded ? undefined : readSnapshotCounts(options.dataFolder);
  const notices = [...(loaded.notices ?? []), ...(isGuarded || floor ? [] : [UNGUARDED])];
  const guarded = { ...options, previous: before ?? previous?.listed, floor, fallback };
  const missing = refuseShrinking(dataSet.records, guarded);
  const nameChanges = options.hasNames === false ? [] : changesOfNames(dataSet, previous, before);
  refuseLostNames(nameChanges, guarded);
  const continued = continueHistory({ ...dataSet, captured, edition, history }, previous, before);
  return {
    ...dataSet,
    provenance,
    history: continued,
    steps: stepsSince(continued, previous?.digest),
    missing,
    nameChanges,
    source,
    fallback: fallback ?? null,
    requests: requests ?? null,
    isCached,
    notices,
  };
}

/** None where the previous records or names cannot be read. */
function changesOfNames(to: DataSet, previous?: Previous, records?: EncodedRecords): NameChanges[] {
  const isSame = previous?.names?.digest === to.names.summary?.digest;
  const names = isSame ? undefined : previous?.readNames?.();
  if (!records || !names) return [];
  return compareNames({ records, names }, { records: to.records, names: to.names.read() });
}

/** Unchanged data keeps the date and the edition with which it was first seen in this state. */
function sinceUnchanged(provenance: Provenance, digest: string, previous: Previous | undefined): Provenance {
  if (previous?.digest !== digest) return provenance;
  const { captured, edition } = previous;
  return {
    ...provenance,
    captured: captured ?? provenance.captured,
    edition: edition ?? provenance.edition,
  };
}
