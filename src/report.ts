/** The report: what a build or a snapshot did, as `--json` prints it and the closing summary tells it. */

import type { Captured } from './capture.ts';
import type { Counts, Warning, WarningCode } from './contract/data-set.ts';
import { type Kind, kindNames } from './contract/kinds.ts';
import type { Missing } from './guards.ts';
import type { FetcherStats } from './http/fetcher.ts';
import type { PublishResult } from './output/publish.ts';
import type { SourceName } from './sources/source.ts';

/** All warnings of one code about one kind. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: WarningCode;
  readonly count: number;
  /** The first few, as sentences. */
  readonly examples: readonly string[];
}

export interface Report {
  /** False where everything was as it had to be already. */
  readonly changed: boolean;
  /** The folder that was written, as it was named. */
  readonly out: string;
  readonly source: Exclude<SourceName, 'auto'>;
  readonly upstream: string;
  /** `YYYY-MM-DD` */
  readonly captured: string;
  readonly fallback: string | null;
  readonly digest: string;
  readonly counts: Counts;
  /** Kind → the slugs that the last data had and this one has not. */
  readonly missing: Missing;
  readonly files: Omit<PublishResult, 'changed'>;
  /** Null where nothing was fetched. */
  readonly requests: FetcherStats | null;
  readonly warnings: readonly WarningGroup[];
  /** From the first to the last moment of the work. */
  readonly seconds: number;
}

export function createReport(
  { provenance, warnings, counts, missing, digest, source, fallback, requests }: Captured,
  { changed, ...files }: PublishResult,
  { out, started }: { out: string; started: number },
): Report {
  return {
    changed,
    out,
    source,
    upstream: provenance.upstream,
    captured: provenance.captured,
    fallback,
    digest,
    counts,
    missing,
    files,
    requests,
    warnings: groupWarnings(warnings),
    seconds: Math.round(performance.now() - started) / 1000,
  };
}

const EXAMPLES = 3;

/** Groups warnings by kind and code, in the order in which they first come up. */
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
