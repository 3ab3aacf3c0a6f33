import type { Comparison } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import type { Meta } from '../contract/meta.ts';
import type { Counts } from '../contract/records.ts';
import { toSeconds } from '../contract/words.ts';
import { countRecords, type Provenance, type Warning, warningCodes } from '../dataset/data-set.ts';
import type { NameChanges } from '../dataset/names.ts';
import type { Update } from '../dataset/update.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import type { Output, PublishResult } from '../publish/publish.ts';
import type { IconsReport } from '../sources/icons.ts';
import type { SourceResult } from '../sources/source.ts';
import type { Problem } from '../verify/folder.ts';
import type { Settings } from './settings.ts';

/** The records with the same warning. */
export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  readonly count: number;
  /** The first messages. A copied site has only the count. */
  readonly examples: readonly string[];
}

/** The report of a build or a snapshot, as `--json` prints it. */
export interface Report {
  /** False if everything was up to date. */
  readonly changed: boolean;
  /** The folder, as the user named it. */
  readonly out: string;
  readonly data: DataReport;
  readonly changes: ChangesReport;
  readonly files: FilesReport;
  readonly warnings: readonly WarningGroup[];
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** The data that was read. */
export interface DataReport extends Readonly<Provenance> {
  /** The reason for reading local data; null if none was read. */
  readonly fallback: string | null;
  readonly digest: string;
  readonly counts: Counts;
  /** Whether every record came from the cache, because the upstream's edition has not changed. */
  readonly isCached: boolean;
  /** Null if no request was sent. */
  readonly requests: FetcherStats | null;
}

/** The differences from the previous data. */
export interface ChangesReport {
  readonly steps: readonly Comparison[];
  /** The slugs of records that are gone. */
  readonly missing: Readonly<Record<Kind, readonly string[]>>;
  readonly names: readonly NameChanges[];
}

export type FilesReport = Omit<PublishResult, 'changed' | 'notices'>;

/** The report of a build or a copy. */
export interface BuildReport extends Report {
  readonly site: SiteReport;
  readonly icons: IconsReport;
  readonly leftBehind: LeftBehindReport;
  readonly checks: ChecksReport;
}

export interface SiteReport extends Pick<Settings, 'baseUrl' | 'baseUrlFrom' | 'links' | 'hosts'> {
  /** The command for the operator of each web server whose configuration or redirects changed. */
  readonly install: readonly string[];
}

/** The parts of a copied site that the copy does not have. */
export interface LeftBehindReport {
  readonly files: readonly string[];
  readonly kinds: readonly string[];
}

/** The work after the site was published. */
export interface ChecksReport {
  /** The number of checked files; null without `verify`. */
  readonly verified: number | null;
  /** Problems of the published site or its archive. */
  readonly problems: readonly Problem[];
  /** The archive of this site; null without `keep`. */
  readonly archive: string | null;
}

interface ReportContext {
  readonly output: Output;
  readonly warnings: readonly WarningGroup[];
  readonly notices?: readonly string[];
  /** From `performance.now()`. */
  readonly started: number;
}

export function createReport(
  loaded: SourceResult,
  update: Update,
  { changed, notices, ...files }: PublishResult,
  context: ReportContext,
): Report {
  const { dataSet, fallback } = update;
  return {
    changed,
    out: context.output.name,
    data: {
      ...dataSet.provenance,
      source: loaded.source,
      fallback,
      digest: dataSet.digest,
      counts: dataSet.counts,
      isCached: loaded.isCached ?? false,
      requests: loaded.requests ?? null,
    },
    changes: { steps: update.steps, missing: update.missing, names: update.nameChanges },
    files,
    warnings: context.warnings,
    notices: [
      ...context.output.notices,
      ...(loaded.notices ?? []),
      ...update.notices,
      ...(context.notices ?? []),
      ...notices,
    ],
    seconds: toSeconds(performance.now() - context.started),
  };
}

const MAX_EXAMPLES = 3;

/** Groups warnings by kind and code, and keeps their first messages. */
export function groupWarnings(warnings: readonly Warning[]): WarningGroup[] {
  const groups: WarningGroup[] = [];
  for (const kind of kindNames) {
    const ofKind = warnings.filter((warning) => warning.kind === kind);
    const codes = new Set(ofKind.map(({ code }) => code));
    for (const code of codes) {
      const sameCode = ofKind.filter((warning) => warning.code === code);
      const examples = sameCode.slice(0, MAX_EXAMPLES).map(({ message }) => message);
      groups.push({ kind, code, count: countRecords(sameCode), examples });
    }
  }
  return groups;
}

/**
 * Reads a copied site's warnings, except those about icons, because the copy collects its icons
 * itself.
 */
export function readWarnings({ warnings }: Meta): WarningGroup[] {
  const groups: WarningGroup[] = [];
  for (const kind of kindNames) {
    for (const code of warningCodes) {
      const count = warnings[kind][code] ?? 0;
      if (code === 'icon-not-found' || count === 0) continue;
      groups.push({ kind, code, count, examples: [] });
    }
  }
  return groups;
}

/** Returns the counts as `meta.json` has them. */
export const countWarnings = (groups: readonly WarningGroup[]): Meta['warnings'] =>
  mapKinds((kind) => {
    const counts: Record<string, number> = {};
    for (const group of groups) {
      if (group.kind === kind) counts[group.code] = group.count;
    }
    return counts;
  });
