/** Capturing: reads a data set and believes it only where the guards do. */

import type { History } from './contract/changes.ts';
import type { Counts, EncodedDataSet, Provenance } from './contract/data-set.ts';
import { mapKinds } from './contract/kinds.ts';
import { digestRecords } from './digest.ts';
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

export interface Captured extends EncodedDataSet {
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
  const { dataSet, source, fallback, history, cause, requests } = loaded;
  if (fallback !== undefined) onFallback?.(fallback, cause);
  const past = options.pastOf(loaded);
  const { records, warnings, provenance } = dataSet;
  const digest = digestRecords(records);
  const missing = refuseShrinking(records, { previous: past, digest, maxShrink, allowMissing, fallback });
  return {
    records,
    warnings,
    provenance: source === 'snapshot' ? provenance : sinceUnchanged(provenance, digest, past),
    counts: mapKinds((kind) => records[kind].length),
    past,
    history,
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
