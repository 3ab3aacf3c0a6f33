import type { Comparison } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import { describeEdition } from '../contract/meta.ts';
import type { Counts } from '../contract/records.ts';
import {
  formatBytes,
  formatCount,
  groupDigits,
  listFirst,
} from '../contract/words.ts';
import { formatHeadline } from '../data/describe-changes.ts';
import type {
  BuildReport,
  ChangesReport,
  DataReport,
  Report,
  SiteReport,
  WarningGroup,
} from '../pipeline/report.ts';
import type { IconsReport } from '../upstream/icons.ts';

/**
 * Formats the report that a command prints when it is done.
 *
 * The lines follow the order of the work: changes to the data, warnings about the data,
 * requests, and then files. If nothing has changed, the notices and one line are
 * enough.
 */
export function formatSummary(report: Report & Partial<BuildReport>): string[] {
  const notices = report.notices.map((notice) => `warning: ${notice}`);
  const { data, changes, site, icons } = report;
  if (!report.changed) {
    const facts = [formatPublished(report), formatData(data), ...formatKept(report)];
    return [...notices, facts.join('; ')];
  }
  const lines: string[] = [];
  // The newest step comes first in the report, but should be the last one printed.
  for (const step of changes.steps.toReversed()) lines.push(...formatStep(step));
  lines.push(...formatNames(changes.names));
  lines.push(formatData(data));
  lines.push(...formatSkipped(data));
  lines.push(...formatWarnings(report.warnings));
  lines.push(...notices);
  lines.push(...formatRequests(data));
  lines.push(...formatSettings(site));
  lines.push(...formatIcons(icons));
  lines.push(...formatKept(report));
  lines.push(formatPublished(report));
  return lines;
}

function formatData(data: DataReport): string {
  const counts = formatCounts(data.counts);
  const edition = formatEdition(data);
  return `data: ${counts} from ${data.upstream}${edition}, captured ${data.captured}`;
}

/**
 * Formats a step of the history. Names the records that were removed or renamed, because
 * clients may still request their old URLs.
 */
function formatStep(step: Comparison): string[] {
  const removed: string[] = [];
  const renamed: string[] = [];
  for (const kind of kindNames) {
    const changes = step.changes[kind];
    for (const { slug } of changes.removed) removed.push(`${kind}/${slug}`);
    for (const { from, to } of changes.renamed) {
      renamed.push(`${kind}/${from} → ${to}`);
    }
  }
  const lines = [`records: ${formatHeadline(step)}`];
  if (removed.length > 0) lines.push(`  removed: ${listFirst(removed)}`);
  if (renamed.length > 0) lines.push(`  renamed: ${listFirst(renamed)}`);
  return lines;
}

function formatNames(names: ChangesReport['names']): string[] {
  if (names.length === 0) return [];
  const counts = names.map(
    ({ changed, language }) =>
      `${formatCount(changed, 'name')} changed in ${language}`,
  );
  return [`names: ${listFirst(counts)}`];
}

const formatEdition = ({ edition }: DataReport): string =>
  edition ? `, ${describeEdition(edition)}` : '';

function formatSkipped({ skipped }: DataReport): string[] {
  const records: string[] = [];
  for (const kind of kindNames) {
    for (const id of skipped?.[kind] ?? []) records.push(`${kind}/${id}`);
  }
  return records.length > 0 ? [`skipped: ${listFirst(records)}`] : [];
}

/**
 * Formats the new warnings with one example per group, and the number of warnings that
 * the previous data set already had.
 */
function formatWarnings(groups: readonly WarningGroup[]): string[] {
  const lines: string[] = [];
  let repeated = 0;
  for (const { kind, code, count, added, examples } of groups) {
    repeated += count - added;
    if (added === 0) continue;
    const [example = ''] = examples;
    const subject = `${kind} ${code}: ${groupDigits(added)}`;
    lines.push(`warning: ${subject}, such as ${example}`);
  }
  if (repeated > 0) {
    lines.push(`warnings: ${groupDigits(repeated)} as in the previous data`);
  }
  return lines;
}

function formatRequests({ requests, isCached }: DataReport): string[] {
  if (!requests) return [];
  const parts = [
    formatCount(requests.requests, 'request'),
    formatBytes(requests.bytes),
    `${groupDigits(requests.cacheHits)} from cache`,
  ];
  if (isCached) parts.push('the upstream has no newer edition');
  return [`fetched: ${parts.join(' · ')}`];
}

/** Formats the base URL and the settings that differ from the published ones. */
function formatSettings(site: SiteReport | undefined): string[] {
  if (!site) return [];
  const hosts = site.hosts.join(', ') || 'none';
  const changed =
    site.changed.length > 0 ? `; changed: ${site.changed.join(', ')}` : '';
  return [`site: ${site.baseUrl}, host ${hosts}${changed}`];
}

/**
 * Formats the last line of a report: `build: 3,248 files, 2.1 MB: 12 written, 3,236
 * kept, 0 removed, in 0.4 s`
 */
function formatPublished({ out, files, changed, seconds }: Report): string {
  const size = `${formatCount(files.files, 'file')}, ${formatBytes(files.bytes)}`;
  if (!changed) return `${out}: ${size}: nothing changed, in ${seconds} s`;
  const written = `${groupDigits(files.written)} written`;
  const kept = `${groupDigits(files.kept)} kept`;
  const removed = `${groupDigits(files.removed)} removed`;
  return `${out}: ${size}: ${written}, ${kept}, ${removed}, in ${seconds} s`;
}

function formatIcons(report: IconsReport | undefined): string[] {
  if (!report || report.mode === 'link') return [];
  const { icons, placeholders, requests } = report;
  const parts = [
    formatCount(icons, 'icon'),
    `${groupDigits(placeholders)} replaced by the placeholder`,
  ];
  if (requests) parts.push(formatCount(requests.requests, 'request'));
  return [`icons: ${parts.join(' · ')}`];
}

/** Formats the folder in which the data set is kept. */
function formatKept({ kept }: Partial<BuildReport>): string[] {
  return kept ? [`kept: ${kept}`] : [];
}

/** Formats the number of records of each kind: `937 moves, 2,223 items`. */
export const formatCounts = (counts: Counts): string =>
  kindNames.map((kind) => formatCount(counts[kind], kind)).join(', ');
