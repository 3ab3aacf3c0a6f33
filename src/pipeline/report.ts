import type { Comparison } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Counts } from '../contract/records.ts';
import { toSeconds } from '../contract/words.ts';
import type { Update } from '../data/advance.ts';
import {
  countWarnedRecords,
  type PreviousDataSet,
  type Provenance,
  type Warning,
} from '../data/data-set.ts';
import type { NameChanges } from '../data/names.ts';
import type { Output, PublishResult } from '../publish/publish.ts';
import type { IconsReport } from '../upstream/icons.ts';
import type { SourceResult } from '../upstream/source.ts';
import type { RequestStats } from '../upstream/transport.ts';
import type { Settings } from './settings.ts';

/** Warnings with the same code about records of one kind. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  /** The number of records. */
  readonly count: number;
  /** The number of records with a warning that the previous data set did not have. */
  readonly added: number;
  /** The first few of the new warnings. */
  readonly examples: readonly string[];
}

/** The report of a build or a snapshot, in the form that `--json` prints. */
export interface Report {
  /** Whether anything was published. False if everything was up to date. */
  readonly changed: boolean;
  /** The output folder, as the user named it. */
  readonly out: string;
  readonly data: DataReport;
  readonly changes: ChangesReport;
  readonly files: FilesReport;
  readonly warnings: readonly WarningGroup[];
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** Describes the data that was read. */
export interface DataReport extends Readonly<Provenance> {
  /** The reason for falling back to local data, or null if there was no fallback. */
  readonly fallback: string | null;
  readonly digest: string;
  readonly counts: Counts;
  /**
   * Whether every record came from the cache, because the upstream's edition has not
   * changed.
   */
  readonly isCached: boolean;
  /** The number of requests, or null if none were sent. */
  readonly requests: Readonly<RequestStats> | null;
}

/** The differences between the previous data set and this one. */
export interface ChangesReport {
  readonly steps: readonly Comparison[];
  readonly names: readonly NameChanges[];
}

export type FilesReport = Omit<PublishResult, 'changed' | 'notices'>;

/** The report of a build or a copy. */
export interface BuildReport extends Report {
  readonly site: SiteReport;
  readonly icons: IconsReport;
  /** The folder in which the data set was kept, or null if `keep` is not set. */
  readonly kept: string | null;
}

export interface SiteReport extends Pick<Settings, 'baseUrl' | 'links' | 'hosts'> {
  /** The settings that differ from the published ones, such as `links query → file`. */
  readonly changed: readonly string[];
}

interface ReportContext {
  readonly output: Output;
  /** The data set that was published before. */
  readonly previous: PreviousDataSet | undefined;
  readonly notices?: readonly string[];
  /** The time at which the work started, from `performance.now()`. */
  readonly started: number;
}

/**
 * Creates the report of a build or a snapshot. The reported duration ends with this call,
 * so call it after publishing.
 */
export function createReport(
  loaded: SourceResult,
  update: Update,
  { changed, notices, ...files }: PublishResult,
  context: ReportContext,
): Report {
  const { dataSet } = update;
  return {
    changed,
    out: context.output.folder,
    data: {
      ...dataSet.provenance,
      source: loaded.source,
      fallback: loaded.fallback ?? null,
      digest: dataSet.digest,
      counts: dataSet.counts,
      isCached: loaded.isCached ?? false,
      requests: loaded.requests ?? null,
    },
    changes: {
      steps: update.steps,
      names: update.nameChanges,
    },
    files,
    warnings: groupWarnings(dataSet.warnings, context.previous?.warnings ?? []),
    // In the order of the work: locking the folder, reading, gathering icons, publishing.
    notices: [
      ...context.output.notices,
      ...(loaded.notices ?? []),
      ...(context.notices ?? []),
      ...notices,
    ],
    seconds: toSeconds(performance.now() - context.started),
  };
}

const MAX_EXAMPLES = 3;

/**
 * Groups warnings by kind and code. Warnings that the previous data set also had are
 * counted but not used as examples, because the operator already knows them.
 *
 * @param previous the warnings of the previous data set
 */
export function groupWarnings(
  warnings: readonly Warning[],
  previous: readonly Warning[],
): WarningGroup[] {
  const previousMessages = new Set(previous.map(({ message }) => message));
  const groups: WarningGroup[] = [];
  for (const kind of kindNames) {
    const kindWarnings = warnings.filter((warning) => warning.kind === kind);
    const codes = new Set(kindWarnings.map(({ code }) => code));
    for (const code of codes) {
      const groupedWarnings = kindWarnings.filter(
        (warning) => warning.code === code,
      );
      const newWarnings = groupedWarnings.filter(
        ({ message }) => !previousMessages.has(message),
      );
      const shownWarnings = newWarnings.slice(0, MAX_EXAMPLES);
      groups.push({
        kind,
        code,
        count: countWarnedRecords(groupedWarnings),
        added: countWarnedRecords(newWarnings),
        examples: shownWarnings.map(({ message }) => message),
      });
    }
  }
  return groups;
}

/** Counts the records with each warning for `meta.json`. */
export function countWarnings(warnings: readonly Warning[]): Meta['warnings'] {
  const counts = mapKinds((): Record<string, number> => ({}));
  for (const { kind, code, count } of groupWarnings(warnings, [])) {
    counts[kind][code] = count;
  }
  return counts;
}
