/** Capturing: reads a data set and believes it only where the guards do. */

import type { History } from './contract/changes.ts';
import type { Counts, DataSet, EncodedRecords } from './contract/data-set.ts';
import { mapKinds } from './contract/kinds.ts';
import { digestRecords, encodeRecords } from './digest.ts';
import { type Missing, type Previous, refuseShrinking } from './guards.ts';
import type { FetcherStats } from './http/fetcher.ts';
import { BUNDLED_DATA, type ResolvedSource } from './options.ts';
import type { Past } from './past.ts';
import { load } from './sources/load.ts';
import type { Progress, SourceResult } from './sources/source.ts';

/** What a caller may follow while data is read. */
export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called where local data is read although the upstream was asked for. */
  readonly onFallback?: ((message: string, cause: Error | undefined) => void) | undefined;
}

export interface Captured {
  readonly dataSet: DataSet;
  readonly records: EncodedRecords;
  readonly counts: Counts;
  /** What the data was before; undefined where it is the first. */
  readonly past: Past | undefined;
  /** How it came about, where that came with it. */
  readonly history: History | undefined;
  /** What the last data had and this one has not. */
  readonly missing: Missing;
  readonly digest: string;
  readonly source: SourceResult['source'];
  readonly fallback: string | null;
  readonly requests: FetcherStats | null;
}

interface CaptureOptions {
  /** What the data was before that which was read now. */
  readonly pastOf: (loaded: SourceResult) => Past | undefined;
  readonly signal: AbortSignal | undefined;
}

export async function capture(options: ResolvedSource & Watchers & CaptureOptions): Promise<Captured> {
  const { onFallback, maxShrink, allowMissing } = options;
  const loaded = await load({ ...options, dataFolder: BUNDLED_DATA });
  if (loaded.fallback !== undefined) onFallback?.(loaded.fallback, loaded.cause);
  const past = options.pastOf(loaded);
  const records = encodeRecords(loaded.dataSet.records);
  const missing = refuseShrinking(records, {
    previous: past,
    maxShrink,
    allowMissing,
    fallback: loaded.fallback,
  });
  const digest = digestRecords(records);
  return {
    dataSet: loaded.source === 'snapshot' ? loaded.dataSet : sinceUnchanged(loaded.dataSet, digest, past),
    records,
    counts: mapKinds((kind) => records[kind].length),
    past,
    history: loaded.history,
    missing,
    digest,
    source: loaded.source,
    fallback: loaded.fallback ?? null,
    requests: loaded.requests ?? null,
  };
}

/** Data that is the same as last time keeps its day: it was captured, as it is, then. */
function sinceUnchanged(dataSet: DataSet, digest: string, previous: Previous | undefined): DataSet {
  if (previous?.digest !== digest) return dataSet;
  return { ...dataSet, provenance: { ...dataSet.provenance, captured: previous.captured } };
}
