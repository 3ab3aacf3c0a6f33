/** The report of a build or a snapshot, as `--json` prints it. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { secondsSince } from '../contract/words.ts';
import { type Provenance, type Warning, warningCodes } from '../dataset/data-set.ts';
import type { PublishResult } from '../publish/publish.ts';
import type { Captured } from '../sources/capture.ts';

/** All warnings with the same code about the same kind. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  readonly count: number;
  /** The first few messages. */
  readonly examples: readonly string[];
}

type OfData = 'source' | 'fallback' | 'digest' | 'counts' | 'steps' | 'missing' | 'requests' | 'isCached';

export interface Report
  extends Pick<Captured, OfData | 'nameChanges' | 'notices'>,
    Readonly<Pick<Provenance, 'upstream' | 'captured' | 'edition' | 'skipped'>> {
  /** False if everything was up to date. */
  readonly changed: boolean;
  /** The output folder as the user named it. */
  readonly out: string;
  readonly files: Omit<PublishResult, 'changed'>;
  readonly warnings: readonly WarningGroup[];
  readonly seconds: number;
}

export function createReport(
  { provenance, ...data }: Omit<Captured, 'records' | 'names' | 'warnings' | 'former' | 'site'>,
  { changed, ...files }: PublishResult,
  { out, warnings, started }: { out: string; warnings: readonly WarningGroup[]; started: number },
): Report {
  return {
    changed,
    out,
    source: data.source,
    upstream: provenance.upstream,
    captured: provenance.captured,
    edition: provenance.edition,
    skipped: provenance.skipped,
    fallback: data.fallback,
    digest: data.digest,
    counts: data.counts,
    steps: data.steps,
    missing: data.missing,
    nameChanges: data.nameChanges,
    files,
    requests: data.requests,
    isCached: data.isCached,
    notices: data.notices,
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
      const messages = ofKind.filter((warning) => warning.code === code).map(({ message }) => message);
      return { kind, code, count: messages.length, examples: messages.slice(0, EXAMPLES) };
    });
  });
}

/** The warnings about the data of a copied site, which keeps only their numbers. */
export const readWarnings = ({ warnings }: Meta): WarningGroup[] =>
  kindNames.flatMap((kind) =>
    warningCodes.flatMap((code) => {
      const count = code === 'icon-not-found' ? 0 : (warnings[kind][code] ?? 0);
      return count > 0 ? [{ kind, code, count, examples: [] }] : [];
    }),
  );

/** Kind → code → the number of its warnings. */
export function countWarnings(groups: readonly WarningGroup[]): Record<Kind, Record<string, number>> {
  const counts = mapKinds<Record<string, number>>(() => ({}));
  for (const { kind, code, count } of groups) counts[kind][code] = count;
  return counts;
}
