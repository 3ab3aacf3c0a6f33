import type { Comparison } from '../contract/changes.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { describeEdition, type Meta } from '../contract/meta.ts';
import type { Counts } from '../contract/records.ts';
import {
  formatBytes,
  formatCount,
  groupDigits,
  listFirst,
  measureSeconds,
} from '../contract/words.ts';
import {
  countRecords,
  type DataSet,
  type Provenance,
  type Warning,
  warningCodes,
} from '../dataset/data-set.ts';
import { describeGroups, formatHeadline } from '../dataset/describe-changes.ts';
import type { Update } from '../dataset/update.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import type { Output, PublishResult } from '../publish/publish.ts';
import type { IconsReport } from '../sources/icons.ts';
import type { SourceResult } from '../sources/source.ts';
import type { Problem } from '../verify/folder.ts';
import type { Settings } from './site-options.ts';

export interface WarningGroup {
  readonly kind: Kind;
  readonly code: string;
  readonly count: number;
  /** The first messages. A copied site has only the count. */
  readonly examples: readonly string[];
}

/** The report of a build or a snapshot, as `--json` prints it. */
export interface Report
  extends Pick<Update, 'steps' | 'missing' | 'nameChanges' | 'fallback'>,
    Pick<SourceResult, 'source'>,
    Pick<DataSet, 'digest' | 'counts'>,
    Readonly<Pick<Provenance, 'upstream' | 'captured' | 'edition' | 'skipped'>> {
  /** False if everything was up to date. */
  readonly changed: boolean;
  readonly out: string;
  readonly files: Omit<PublishResult, 'changed'>;
  readonly isCached: boolean;
  readonly requests: FetcherStats | null;
  readonly warnings: readonly WarningGroup[];
  readonly notices: readonly string[];
  readonly seconds: number;
}

export interface BuildReport
  extends Report,
    Pick<Settings, 'baseUrl' | 'baseUrlFrom' | 'links' | 'hosts'> {
  /** The command for the operator of each web server whose configuration or redirects changed. */
  readonly install: readonly string[];
  readonly sprites: IconsReport;
  readonly leftBehind: readonly string[];
  readonly missingKinds: readonly string[];
  /** The number of checked files; null without `verify`. */
  readonly verified: number | null;
  /** Problems of the published site or its archive. */
  readonly problems: readonly Problem[];
  /** The archive of this site; null without `keep`. */
  readonly kept: string | null;
}

interface ReportContext {
  readonly output: Output;
  readonly warnings: readonly WarningGroup[];
  readonly notices?: readonly string[];
  readonly started: number;
}

export function createReport(
  { source, requests, isCached = false, notices: sourceNotices = [] }: SourceResult,
  { dataSet, steps, missing, nameChanges, fallback, notices }: Update,
  { changed, ...files }: PublishResult,
  { output, warnings, notices: more = [], started }: ReportContext,
): Report {
  const { provenance, digest, counts } = dataSet;
  return {
    changed,
    out: output.name,
    ...provenance,
    source,
    fallback,
    digest,
    counts,
    steps,
    missing,
    nameChanges,
    files,
    isCached,
    warnings,
    requests: requests ?? null,
    notices: [...output.notices, ...sourceNotices, ...notices, ...more],
    seconds: measureSeconds(started),
  };
}

export const groupWarnings = (warnings: readonly Warning[]): WarningGroup[] =>
  kindNames.flatMap((kind) => {
    const own = warnings.filter((warning) => warning.kind === kind);
    return [...new Set(own.map(({ code }) => code))].map((code) => {
      const same = own.filter((warning) => warning.code === code);
      const count = countRecords(same);
      return { kind, code, count, examples: same.slice(0, 3).map(({ message }) => message) };
    });
  });

/** Reads a copied site's warnings, except those about icons, because a copy gathers icons again. */
export const readWarnings = ({ warnings }: Meta): WarningGroup[] =>
  kindNames.flatMap((kind) =>
    warningCodes
      .filter((code) => code !== 'icon-not-found')
      .map((code) => ({ kind, code, count: warnings[kind][code] ?? 0, examples: [] }))
      .filter(({ count }) => count > 0),
  );

export const countWarnings = (groups: readonly WarningGroup[]): Meta['warnings'] =>
  mapKinds((kind) =>
    Object.fromEntries(
      groups.filter((own) => own.kind === kind).map(({ code, count }) => [code, count]),
    ),
  );

const MAX_SHOWN = 20;

const formatMore = (more: number): string[] =>
  more > 0 ? [`  … and ${groupDigits(more)} more`] : [];

function formatStep(step: Comparison): string[] {
  const groups = describeGroups(step, { max: 3, maxRemoved: MAX_SHOWN });
  const lines = groups.flatMap(({ title, lines, more }) => [
    ...lines.map((line) => `  ${title.toLowerCase()}: ${line}`),
    ...formatMore(more),
  ]);
  return [`records: ${formatHeadline(step)}`, ...lines];
}

/** Formats records first, files last. Without changes, one line after the notices. */
export function formatSummary(report: Report & Partial<BuildReport>): string[] {
  const { counts, steps, nameChanges, skipped, missing, warnings, notices, requests } = report;
  const edition = report.edition ? `, ${describeEdition(report.edition)}` : '';
  const captured = `captured ${report.captured}`;
  const noticeLines = notices.map((notice) => `warning: ${notice}`);
  if (!report.changed) {
    const data = `${formatCounts(counts)}, ${captured}${edition}`;
    const facts = [
      formatPublished(report),
      data,
      ...formatBaseUrl(report),
      ...formatVerified(report),
    ];
    return [...noticeLines, facts.join('; ')];
  }
  const skippedRecords = kindNames.flatMap((kind) =>
    (skipped?.[kind] ?? []).map((id) => `${kind}/${id}`),
  );
  const removed = steps.length === 0 ? kindNames.filter((kind) => missing[kind].length > 0) : [];
  return [
    ...steps.toReversed().flatMap(formatStep),
    ...nameChanges.map(
      ({ changed, language }) => `names: ${formatCount(changed, 'name')} changed in ${language}`,
    ),
    `data: ${formatCounts(counts)} from ${report.upstream}${edition}, ${captured}`,
    ...(skippedRecords.length > 0 ? [`skipped: ${listFirst(skippedRecords)}`] : []),
    ...warnings.flatMap(({ kind, code, count, examples }) => [
      `warning: ${kind} ${code}: ${groupDigits(count)}`,
      ...examples.map((example) => `  - ${example}`),
      ...(examples.length > 0 ? formatMore(count - examples.length) : []),
    ]),
    ...noticeLines,
    ...(requests ? [`fetched: ${formatRequests(requests, report.isCached)}`] : []),
    ...removed.map((kind) => {
      const slugs = missing[kind];
      return `removed since the last build: ${formatCount(slugs.length, kind)}: ${listFirst(slugs, MAX_SHOWN)}`;
    }),
    ...formatLeftBehind(report),
    ...formatBaseUrl(report),
    formatPublished(report),
    ...(report.sprites ? formatIcons(report.sprites) : []),
    ...formatVerified(report),
  ];
}

const formatRequests = (requests: FetcherStats, isCached: boolean): string =>
  [
    formatCount(requests.requests, 'request'),
    formatCount(requests.bodies, 'body'),
    formatBytes(requests.bytes),
    `${groupDigits(requests.notModified)} not modified`,
    `${groupDigits(requests.cacheHits)} from cache`,
    ...(requests.retries > 0 ? [formatCount(requests.retries, 'retry')] : []),
    ...(isCached ? ['the upstream has no newer edition'] : []),
  ].join(' · ');

const formatVerified = ({ verified = null, problems = [] }: Partial<BuildReport>): string[] =>
  verified === null || problems.length > 0 ? [] : [`verified ${formatCount(verified, 'file')}`];

function formatIcons({
  mode,
  icons,
  copied,
  published,
  placeholders,
  requests,
}: IconsReport): string[] {
  if (mode === 'link') return [];
  const parts = [
    formatCount(icons, 'icon'),
    ...(copied > 0 ? [`${groupDigits(copied)} from the source`] : []),
    ...(published > 0 ? [`${groupDigits(published)} as published`] : []),
    `${groupDigits(placeholders)} replaced by the placeholder`,
    ...(requests
      ? [formatCount(requests.bodies, 'body'), `${groupDigits(requests.cacheHits)} from cache`]
      : []),
  ];
  return [`icons: ${parts.join(' · ')}`];
}

export const formatCounts = (counts: Counts): string =>
  kindNames.map((kind) => formatCount(counts[kind], kind)).join(', ');

/** `build: 3,248 files, 2.1 MB: 12 written, 3,236 kept, 0 removed, in 0.4 s` */
export function formatPublished({ out, files, changed, seconds }: Report): string {
  const { written, kept, removed } = files;
  const result = changed
    ? `${groupDigits(written)} written, ${groupDigits(kept)} kept, ${groupDigits(removed)} removed`
    : 'nothing changed';
  return `${out}: ${formatCount(files.files, 'file')}, ${formatBytes(files.bytes)}: ${result}, in ${seconds} s`;
}

function formatLeftBehind({ missingKinds = [], leftBehind = [] }: Partial<BuildReport>): string[] {
  if (leftBehind.length === 0) return [];
  const kinds = missingKinds.length > 0 ? [`not copied: kinds ${missingKinds.join(', ')}`] : [];
  return [
    ...kinds,
    `not copied: ${formatCount(leftBehind.length, 'file')}: ${listFirst(leftBehind)}`,
  ];
}

function formatBaseUrl({ baseUrl, baseUrlFrom }: Partial<BuildReport>): string[] {
  if (baseUrlFrom === 'published') return [`base URL: ${baseUrl}, as published`];
  return baseUrlFrom === 'source' ? [`base URL: ${baseUrl}, as in the source`] : [];
}

export function formatProblems(folder: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems.slice(0, MAX_SHOWN).map(({ file, problem }) => `${file}: ${problem}`);
  const more = problems.length - MAX_SHOWN;
  if (more > 0) lines.push(`… and ${groupDigits(more)} more`);
  return [...lines, `${folder}: ${formatCount(problems.length, 'problem')} found`];
}
