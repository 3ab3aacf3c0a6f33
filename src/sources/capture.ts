/** Captures a data set: reads it from a source, and lets the guards decide whether it may replace the published one. */

import type { Comparison, History } from '../contract/changes.ts';
import { isAhead } from '../contract/meta.ts';
import type { Names, NamesSummary } from '../contract/names.ts';
import type { Counts } from '../contract/records.ts';
import type { AnyRecords, DataSet } from '../dataset/data-set.ts';
import { agreeing, type Former, leftSlugs, mergeFormer, noFormer } from '../dataset/former.ts';
import {
  datesOf,
  type GuardOptions,
  guard,
  type Missing,
  refuseOldData,
  refuseUnusable,
} from '../dataset/guards.ts';
import { continueHistory, emptyHistory, notAfter, type Previous, stepsSince } from '../dataset/history.ts';
import { compareNames, type NameChanges } from '../dataset/names.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import { load } from './index.ts';
import type { Site } from './site/read.ts';
import { isArchive } from './site/storage.ts';
import { previousOfSnapshot } from './snapshot.ts';
import type { Progress, SourceContext, SourceResult } from './source.ts';

/** What a caller may observe while data is read. */
export interface Watchers {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called if local data is read instead of the upstream. */
  readonly onFallback?: ((message: string, cause: Error | undefined) => void) | undefined;
  /** Called with what became of an interrupted build, if the work fails after that. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

export interface Captured extends DataSet {
  readonly history: History;
  readonly former: Former;
  /** What has changed since the previous data set, newest first. */
  readonly steps: readonly Comparison[];
  /** Records that the previous data set had and this one has not. */
  readonly missing: Missing;
  /** What has become of the names since then: empty if nothing has, or none were wanted. */
  readonly nameChanges: readonly NameChanges[];
  readonly source: SourceResult['source'];
  readonly site: Site | undefined;
  readonly fallback: string | null;
  readonly requests: FetcherStats | null;
  readonly isCached: boolean;
  readonly notices: readonly string[];
}

export interface CaptureOptions
  extends SourceContext,
    Watchers,
    Pick<GuardOptions, 'maxShrink' | 'allowMissing'> {
  /** The age that data may have, in days; undefined for any. */
  readonly maxAge?: number | undefined;
  readonly published: Previous | undefined;
}

const UNGUARDED = 'no earlier data is known, not even a bundled data set: --max-shrink could not be applied';

export async function capture(options: CaptureOptions): Promise<Captured> {
  const loaded = await load(options);
  const { dataSet, source, site, fallback, cause, requests = null, isCached = false } = loaded;
  if (fallback !== undefined) options.onFallback?.(fallback, cause);
  const { previous, inherited = noFormer, floor } = findPrevious(loaded, options);
  const isCopied = source === 'snapshot' || site !== undefined;
  const isSame = previous?.digest === dataSet.digest;
  const { records, names, namesSummary: summary, provenance: read } = dataSet;
  // Unchanged data keeps the date and the edition with which it was first seen in this state. A copy has its own.
  const first = isSame && !isCopied ? previous : undefined;
  // A later day than today is that of a clock that ran ahead.
  const captured = first?.captured && first.captured <= options.today ? first.captured : read.captured;
  const edition = first?.edition && !isAhead(first.edition, Date.now()) ? first.edition : read.edition;
  // An upstream that is deployed anew without a change of ours is not old.
  refuseOldData({ captured, edition: read.edition }, options);
  // A copy was guarded when it was captured.
  if (!isCopied) refuseUnusable(dataSet, previous ?? {}, options);
  const before = isSame ? records : previous?.records();
  const published = previous && { ...previous, records: before ?? previous.listed?.() ?? records };
  const forgotten = options.forgetHistory ?? false;
  const isRestored = site !== undefined && isArchive(options.upstream ?? '');
  const readFormer = isRestored ? previous?.readableFormer : previous?.former;
  const known = (forgotten ? undefined : readFormer?.()) ?? noFormer;
  const left = published ? leftSlugs(published.records, records) : noFormer;
  const former = mergeFormer(inherited, loaded.former ?? noFormer, known, left);
  const own = { records, summary, names: () => names };
  const nameChanges = options.hasNames === false ? [] : changesOfNames(own, previous, before);
  const present = { ...dataSet, captured, edition };
  const { missing } = guard(
    published && { ...published, former: known, names: nameChanges },
    { ...present, former },
    { ...options, floor, fallback, mayLoseRedirects: forgotten, isRestored },
  );
  const { history: continued, notices } = continueHistory(
    { ...present, history: loaded.history },
    previous && forgotten ? { ...previous, history: () => emptyHistory } : previous,
    before,
  );
  const history = isCopied ? continued : notAfter(continued, options.today);
  const isUnguarded = !previous && !isCopied && floor === undefined;
  return {
    ...{ ...dataSet, provenance: { ...read, captured, edition }, history, former, missing, nameChanges },
    ...{ source, site, fallback: fallback ?? null, requests, isCached },
    steps: stepsSince(history, previous?.digest),
    notices: [
      ...(loaded.notices ?? []),
      ...(isUnguarded ? [UNGUARDED] : []),
      ...(isCopied && fallback === undefined ? describeOlder(previous, present) : []),
      ...notices,
    ],
  };
}

/**
 * The data set that is compared with. If nothing is published, as on a build machine without state, the bundled one is, provided
 * that it is of the same upstream; of another one, only what is certainly of the same records counts.
 */
function findPrevious(
  { source, site, dataSet: { provenance, records } }: SourceResult,
  { published, dataFolder }: CaptureOptions,
): { previous?: Previous | undefined; inherited?: Former | undefined; floor?: Counts } {
  const bundled = published || source === 'snapshot' || site ? undefined : previousOfSnapshot(dataFolder);
  if (!bundled) return { previous: published };
  if (bundled.source === provenance.source && bundled.upstream === provenance.upstream)
    return { previous: bundled };
  const its = bundled.records();
  return { inherited: its && agreeing(bundled.former(), its, records), floor: bundled.counts };
}

/** None where the previous records or names cannot be read. `to.names` is called only if they differ. */
export function changesOfNames(
  to: { records: AnyRecords; summary: NamesSummary | undefined; names: () => readonly Names[] },
  previous?: Previous,
  records?: AnyRecords,
): NameChanges[] {
  const isSame = previous?.names?.digest === to.summary?.digest;
  const names = isSame ? undefined : previous?.readNames?.();
  if (!records || !names) return [];
  return compareNames({ records, names }, { records: to.records, names: to.names() });
}

/** Says that a source which the user named is older than the published data. */
function describeOlder(
  previous: Previous | undefined,
  next: Pick<Previous, 'digest' | 'captured' | 'edition'>,
): string[] {
  if (!previous || previous.digest === next.digest) return [];
  const [before, now] = datesOf(previous, next);
  if (!before || !now || now >= before) return [];
  return [`the source is of ${now}, older than the published data of ${before}`];
}
