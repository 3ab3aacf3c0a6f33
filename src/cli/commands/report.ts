/** The report of a build or a snapshot, as `--json` prints it. */

import type { Comparison } from '../../contract/changes.ts';
import type { Edition } from '../../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import type { Counts, Skipped } from '../../contract/records.ts';
import { secondsSince } from '../../contract/words.ts';
import type { Warning } from '../../dataset/data-set.ts';
import type { Missing } from '../../dataset/guards.ts';
import type { FetcherStats } from '../../http/fetcher.ts';
import type { PublishResult } from '../../publish/publish.ts';
import type { Captured } from '../../sources/capture.ts';
import type { SourceName } from '../../sources/source.ts';

/** All warnings with the same code about the same kind. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  readonly count: number;
  /** The first few messages. */
  readonly examples: readonly string[];
}

export interface Report {
  /** False if everything was up to date. */
  readonly changed: boolean;
  /** The output folder as the user named it. */
  readonly out: string;
  readonly source: Exclude<SourceName, 'auto'>;
  readonly upstream: string;
  /** `YYYY-MM-DD` */
  readonly captured: string;
  readonly edition: Edition | null;
  /** The records that were left out on purpose; undefined if none were. */
  readonly skipped?: Skipped | undefined;
  readonly fallback: string | null;
  readonly digest: string;
  readonly counts: Counts;
  /** What has changed since the previous data set, newest first; empty if there was none. */
  readonly steps: readonly Comparison[];
  /** Kind → the slugs that the previous data set had and this one has not. */
  readonly missing: Missing;
  readonly files: Omit<PublishResult, 'changed'>;
  /** Null if nothing was fetched. */
  readonly requests: FetcherStats | null;
  /** True if the cache is of the upstream's present edition, and no record was asked for. */
  readonly isCached: boolean;
  /** What was doubtful and ignored. */
  readonly notices: readonly string[];
  readonly warnings: readonly WarningGroup[];
  readonly seconds: number;
}

/** What was captured, with its warnings in groups: a large data set has too many of them to keep. */
export interface Reported extends Omit<Captured, 'warnings'> {
  readonly warnings: readonly WarningGroup[];
}

export function createReport(
  { provenance, warnings, ...captured }: Reported,
  { changed, ...files }: PublishResult,
  { out, started }: { out: string; started: number },
): Report {
  const { source, fallback, digest, counts, steps, missing, requests, isCached, notices } = captured;
  const { upstream, captured: day, edition, skipped } = provenance;
  return {
    changed,
    out,
    source,
    upstream,
    captured: day,
    edition,
    skipped,
    fallback,
    digest,
    counts,
    steps,
    missing,
    files,
    requests,
    isCached,
    notices,
    warnings,
    seconds: secondsSince(started),
  };
}

const EXAMPLES = 3;

/** Groups warnings by kind and code, in order of first occurrence. */
export function groupWarnings(warnings: readonly Warning[]): WarningGroup[] {
  return kindNames.flatMap((kind) => {
    const ofKind = warnings.filter((warning) => warning.kind === kind);
    const codes = [...new Set(ofKind.map(({ code }) => code))];
    return codes.map((code) => {
      const group = ofKind.filter((warning) => warning.code === code);
      return {
        kind,
        code,
        count: group.length,
        examples: group.slice(0, EXAMPLES).map(({ message }) => message),
      };
    });
  });
}

/** Kind → code → the number of its warnings. */
export function countWarnings(groups: readonly WarningGroup[]): Record<Kind, Record<string, number>> {
  const counts = mapKinds<Record<string, number>>(() => ({}));
  for (const { kind, code, count } of groups) counts[kind][code] = count;
  return counts;
}
