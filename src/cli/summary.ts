/** The closing summary of a build or a snapshot. */

import type { Comparison } from '../contract/changes.ts';
import { describeEdition } from '../contract/edition.ts';
import { kindNames } from '../contract/kinds.ts';
import { counted, firstOf, groupDigits, readableSize } from '../contract/words.ts';
import { describeGroups, headline } from '../dataset/describe-changes.ts';
import type { SiteReport } from './commands/make-site.ts';
import type { Report } from './commands/report.ts';
import { publishedLines, recordCounts } from './lines.ts';

/** The most records of a group that a report names. */
const RECORDS_SHOWN = 3;

/** What has changed, one step of the history after the other, with examples. */
const changeLines = (steps: readonly Comparison[]): string[] =>
  steps
    .toReversed()
    .flatMap((step) => [
      `records: ${headline(step)}`,
      ...describeGroups(step, { max: RECORDS_SHOWN }).flatMap(({ title, lines, more }) => [
        ...lines.map((line) => `  ${title.toLowerCase()}: ${line}`),
        ...moreLines(more),
      ]),
    ]);

const moreLines = (more: number): string[] => (more > 0 ? [`  … and ${groupDigits(more)} more`] : []);

/** The result: records first, files last. One line if nothing has changed, unless something was doubtful. */
export function summaryLines(report: Report & Partial<Pick<SiteReport, 'leftBehind'>>): string[] {
  const { counts, files, requests, steps, nameChanges } = report;
  const edition = report.edition ? `, ${describeEdition(report.edition)}` : '';
  const notices = report.notices.map((notice) => `warning: ${notice}`);
  if (!report.changed) {
    const lines = [...notices, ...publishedLines(report.out, files, report)];
    const data = `${recordCounts(counts)}, captured ${report.captured}${edition}`;
    return [...lines.slice(0, -1), `${lines.at(-1)}; ${data}`];
  }
  const lines = [
    ...changeLines(steps),
    ...nameChanges.map((one) => `names: ${counted(one.changed, 'name')} changed in ${one.language}`),
    `data: ${recordCounts(counts)} from ${report.upstream}${edition}, captured ${report.captured}`,
  ];
  const skipped = kindNames.flatMap((kind) => (report.skipped?.[kind] ?? []).map((id) => `${kind}/${id}`));
  if (skipped.length > 0) lines.push(`left out on purpose: ${firstOf(skipped)}`);
  for (const { kind, code, count, examples } of report.warnings) {
    lines.push(`warning: ${kind} ${code}: ${groupDigits(count)}`);
    for (const example of examples) lines.push(`  - ${example}`);
    // Of a site that was read, only the number is known.
    if (examples.length > 0) lines.push(...moreLines(count - examples.length));
  }
  lines.push(...notices);
  if (requests) {
    const parts = [
      counted(requests.requests, 'request'),
      counted(requests.bodies, 'body', 'bodies'),
      readableSize(requests.bytes),
      `${groupDigits(requests.notModified)} not modified`,
      `${groupDigits(requests.cacheHits)} from cache`,
    ];
    if (requests.retries > 0) parts.push(counted(requests.retries, 'retry', 'retries'));
    if (report.isCached) parts.push('the upstream has no newer edition');
    lines.push(`fetched: ${parts.join(' · ')}`);
  }
  for (const kind of kindNames) {
    const missing = report.missing[kind];
    if (missing.length > 0 && steps.length === 0)
      lines.push(`removed since the last build: ${counted(missing.length, kind)}: ${firstOf(missing)}`);
  }
  if (report.leftBehind?.length) lines.push(`left behind: ${firstOf(report.leftBehind)}`);
  return [...lines, ...publishedLines(report.out, files, report)];
}
