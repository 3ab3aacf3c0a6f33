/** Capturing: reads a data set and believes it only where the guards do. */

import type { Counts, EncodedDataSet, Provenance } from './contract/data-set.ts';
import { mapKinds } from './contract/kinds.ts';
import { digestRecords } from './digest.ts';
import { type Missing, type Previous, refuseShrinking } from './guards.ts';
import type { FetcherStats } from './http/fetcher.ts';
import { BUNDLED_DATA, type ResolvedSource } from './options.ts';
import { load } from './sources/load.ts';
import type { Progress, SourceResult } from './sources/source.ts';

/** What a caller may follow while data is read. */
export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called where local data is read although the upstream was asked for. */
  readonly onFallback?: ((message: string, cause: Error | undefined) => void) | undefined;
}

export interface Captured extends EncodedDataSet {
  readonly counts: Counts;
  /** What the last data had and this one has not. */
  readonly missing: Missing;
  readonly digest: string;
  readonly source: SourceResult['source'];
  readonly fallback: string | null;
  readonly requests: FetcherStats | null;
}

export async function capture(
  options: ResolvedSource & Watchers & { previous: Previous | undefined; signal: AbortSignal | undefined },
): Promise<Captured> {
  const { previous, onFallback, maxShrink, allowMissing } = options;
  const { dataSet, source, fallback, cause, requests } = await load({ ...options, dataFolder: BUNDLED_DATA });
  if (fallback !== undefined) onFallback?.(fallback, cause);
  const { records, warnings, provenance } = dataSet;
  const digest = digestRecords(records);
  const missing = refuseShrinking(records, { previous, digest, maxShrink, allowMissing, fallback });
  return {
    records,
    warnings,
    provenance: source === 'snapshot' ? provenance : sinceUnchanged(provenance, digest, previous),
    counts: mapKinds((kind) => records[kind].length),
    missing,
    digest,
    source,
    fallback: fallback ?? null,
    requests: requests ?? null,
  };
}

/** Data that is the same as last time keeps its day: it was captured, as it is, then. */
function sinceUnchanged(provenance: Provenance, digest: string, previous: Previous | undefined): Provenance {
  return previous?.digest === digest ? { ...provenance, captured: previous.captured } : provenance;
}
