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
import { describeGroups, formatHeadline } from '../data/describe-changes.ts';
import type {
  BuildReport,
  ChecksReport,
  DataReport,
  Report,
  SiteReport,
  WarningGroup,
} from '../pipeline/report.ts';
import type { IconsReport } from '../upstream/icons.ts';
import { type Problem, UNLISTED } from '../verify/folder.ts';

const MAX_SHOWN = 20;

/**
 * Formats the report that a command prints at its end.
 *
 * The lines follow the order of the work: changes of the data, warnings about the
 * data, requests, and then files. If nothing has changed, the notices and one line
 * are enough.
 */
export function formatSummary(report: Report & Partial<BuildReport>): string[] {
  const notices = report.notices.map((notice) => `warning: ${notice}`);
  if (!report.changed) return [...notices, formatUnchanged(report)];
  const { data, changes, site, icons, checks } = report;
  const lines: string[] = [];
  for (const step of changes.steps.toReversed()) lines.push(...formatStep(step));
  for (const { changed, language } of changes.names) {
    lines.push(`names: ${formatCount(changed, 'name')} changed in ${language}`);
  }
  lines.push(formatData(data));
  lines.push(...formatSkipped(data));
  for (const group of report.warnings) lines.push(...formatWarnings(group));
  lines.push(...notices);
  lines.push(...formatRequests(data));
  lines.push(...formatBaseUrl(site));
  lines.push(formatPublished(report));
  lines.push(...formatIcons(icons));
  lines.push(...formatVerified(checks));
  lines.push(...formatKept(checks));
  return lines;
}

function formatData(data: DataReport): string {
  const counts = formatCounts(data.counts);
  const edition = formatEdition(data);
  return `data: ${counts} from ${data.upstream}${edition}, captured ${data.captured}`;
}

function formatUnchanged(report: Report & Partial<BuildReport>): string {
  const { data, site, checks } = report;
  const facts = [
    formatPublished(report),
    `${formatCounts(data.counts)}, captured ${data.captured}${formatEdition(data)}`,
    ...formatBaseUrl(site),
    ...formatVerified(checks),
    ...formatKept(checks),
  ];
  return facts.join('; ');
}

function formatStep(step: Comparison): string[] {
  const lines = [`records: ${formatHeadline(step)}`];
  for (const group of describeGroups(step, { max: 3, maxRemoved: MAX_SHOWN })) {
    for (const line of group.lines) {
      lines.push(`  ${group.title.toLowerCase()}: ${line}`);
    }
    lines.push(...formatMore(group.more));
  }
  return lines;
}

const formatMore = (more: number): string[] =>
  more > 0 ? [`  … and ${groupDigits(more)} more`] : [];

const formatEdition = ({ edition }: DataReport): string =>
  edition ? `, ${describeEdition(edition)}` : '';

function formatSkipped({ skipped }: DataReport): string[] {
  const records: string[] = [];
  for (const kind of kindNames) {
    for (const id of skipped?.[kind] ?? []) records.push(`${kind}/${id}`);
  }
  return records.length > 0 ? [`skipped: ${listFirst(records)}`] : [];
}

function formatWarnings({ kind, code, count, examples }: WarningGroup): string[] {
  const lines = [`warning: ${kind} ${code}: ${groupDigits(count)}`];
  if (examples.length === 0) return lines;
  for (const example of examples) lines.push(`  - ${example}`);
  lines.push(...formatMore(count - examples.length));
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

function formatBaseUrl(site: SiteReport | undefined): string[] {
  if (site?.baseUrlFrom === 'published') {
    return [`base URL: ${site.baseUrl}, as published`];
  }
  if (site?.baseUrlFrom === 'source') {
    return [`base URL: ${site.baseUrl}, as in the source`];
  }
  return [];
}

/**
 * Formats the last line of a report: `build: 3,248 files, 2.1 MB: 12 written, 3,236
 * kept, 0 removed, in 0.4 s`
 */
export function formatPublished({ out, files, changed, seconds }: Report): string {
  const size = `${formatCount(files.files, 'file')}, ${formatBytes(files.bytes)}`;
  if (!changed) return `${out}: ${size}: nothing changed, in ${seconds} s`;
  const written = `${groupDigits(files.written)} written`;
  const kept = `${groupDigits(files.kept)} kept`;
  const removed = `${groupDigits(files.removed)} removed`;
  return `${out}: ${size}: ${written}, ${kept}, ${removed}, in ${seconds} s`;
}

function formatIcons(report: IconsReport | undefined): string[] {
  if (!report || report.mode === 'link') return [];
  const { icons, copied, published, placeholders, requests } = report;
  if (report.mode === 'none') {
    const verb = icons === 1 ? 'shows' : 'show';
    return [`icons: ${formatCount(icons, 'icon path')} ${verb} the placeholder`];
  }
  const parts = [formatCount(icons, 'icon')];
  if (copied > 0) parts.push(`${groupDigits(copied)} from the source`);
  if (published > 0) parts.push(`${groupDigits(published)} as published`);
  parts.push(`${groupDigits(placeholders)} replaced by the placeholder`);
  if (requests) parts.push(formatCount(requests.requests, 'request'));
  return [`icons: ${parts.join(' · ')}`];
}

function formatVerified(checks: ChecksReport | undefined): string[] {
  if (!checks || checks.verified === null || checks.problems.length > 0) return [];
  return [`verified ${formatCount(checks.verified, 'file')}`];
}

/** Formats the folder in which the data set is kept. */
function formatKept(checks: ChecksReport | undefined): string[] {
  if (!checks || checks.kept === null) return [];
  return [`kept: ${checks.kept}`];
}

/** Formats the number of records of each kind: `937 moves, 2,223 items`. */
export const formatCounts = (counts: Counts): string =>
  kindNames.map((kind) => formatCount(counts[kind], kind)).join(', ');

const UNLISTED_HINT =
  'hint: Delete the files that are not in the manifest, serve them from another folder, or move them into public/ to make them part of the site. Only .well-known/ may contain other files.';

export function formatProblems(
  folder: string,
  problems: readonly Problem[],
): string[] {
  if (problems.length === 0) return [];
  const lines = problems
    .slice(0, MAX_SHOWN)
    .map(({ file, problem }) => `${file}: ${problem}`);
  const more = problems.length - MAX_SHOWN;
  if (more > 0) lines.push(`… and ${groupDigits(more)} more`);
  const hasUnlisted = problems.some(({ problem }) => problem === UNLISTED);
  if (hasUnlisted) lines.push(UNLISTED_HINT);
  lines.push(`${folder}: ${formatCount(problems.length, 'problem')} found`);
  return lines;
}
