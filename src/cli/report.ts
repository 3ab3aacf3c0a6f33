/** The report of a build or a snapshot, as `--json` prints it. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import { measureSeconds } from '../contract/words.ts';
import { type DataSet, type Provenance, type Warning, warningCodes } from '../dataset/data-set.ts';
import type { Replacement } from '../dataset/replacement.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import type { Output, PublishResult } from '../publish/publish.ts';
import type { Loaded } from '../sources/index.ts';

/** All warnings with the same code about the same kind. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  readonly count: number;
  /** The first few messages. */
  readonly examples: readonly string[];
}

type Changes = Pick<Replacement, 'steps' | 'missing' | 'nameChanges' | 'fallback'>;
type Source = Pick<Loaded, 'source'> & Readonly<{ requests: FetcherStats | null; isCached: boolean }>;

export interface Report
  extends Changes,
    Source,
    Pick<DataSet, 'digest' | 'counts'>,
    Readonly<Pick<Provenance, 'upstream' | 'captured' | 'edition' | 'skipped'>> {
  /** False if everything was up to date. */
  readonly changed: boolean;
  /** The output folder as the user named it. */
  readonly out: string;
  readonly files: Omit<PublishResult, 'changed'>;
  readonly warnings: readonly WarningGroup[];
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** Describes a data set, what it changes and how it was published. */
export function createReport(
  { source, requests, isCached = false, notices: doubts = [] }: Loaded,
  { dataSet, steps, missing, nameChanges, fallback, notices }: Replacement,
  { changed, ...files }: PublishResult,
  { output, warnings, started }: { output: Output; warnings: readonly WarningGroup[]; started: number },
): Report {
  const { provenance, digest, counts } = dataSet;
  return {
    ...{ changed, out: output.name, ...provenance, source, fallback, digest, counts },
    ...{ steps, missing, nameChanges, files, requests: requests ?? null, isCached },
    notices: [...output.notices, ...doubts, ...notices],
    ...{ warnings, seconds: measureSeconds(started) },
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
