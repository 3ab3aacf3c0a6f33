/** What commands print about their results. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Comparison } from '../contract/changes.ts';
import { describeEdition } from '../contract/edition.ts';
import { guarantees } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import { listPath, MANIFEST_FILE } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { counted, firstOf, groupDigits, printable, readableSize } from '../contract/words.ts';
import { describeGroups, headline } from '../dataset/describe-changes.ts';
import type { GamedataError } from '../errors.ts';
import type { PublishResult } from '../publish/publish.ts';
import type { IconsReport } from '../sources/icons/gather.ts';
import { isAddress } from '../sources/source.ts';
import type { DeploymentReport } from '../verify/deployment.ts';
import type { FolderReport, Problem } from '../verify/folder.ts';
import type { ArchiveReport } from './commands/archive.ts';
import type { BuildReport } from './commands/build.ts';
import type { HostDescription } from './commands/hosts.ts';
import type { MirrorReport } from './commands/mirror.ts';
import type { RebaseReport } from './commands/rebase.ts';
import type { Report } from './commands/report.ts';
import type { SiteServer } from './commands/serve.ts';

/** `build: 3,248 files, 2.1 MB: 12 written, 3,236 kept, 0 removed, in 0.4 s`, and what could not be cleaned up. */
function publishedLines(
  out: string,
  files: Omit<PublishResult, 'changed'>,
  { changed, seconds }: { changed: boolean; seconds: number },
): string[] {
  const what = changed
    ? `${groupDigits(files.written)} written, ${groupDigits(files.kept)} kept, ${groupDigits(files.removed)} removed`
    : 'nothing changed';
  return [
    ...files.leftovers.map((left) => `warning: ${left} cannot be removed: the next build will try again`),
    `${out}: ${counted(files.files, 'file')}, ${readableSize(files.bytes)}: ${what}, in ${seconds} s`,
  ];
}

const recordCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([kind, count]) => counted(count, kind))
    .join(', ');

/** What a failure leaves: the published folder, and what was fetched, if that is where the work ended. */
export function keptLines(
  { out, fetched }: { out: string; fetched?: string | undefined },
  failure: GamedataError | undefined,
): string[] {
  const kept = existsSync(path.join(out, MANIFEST_FILE)) ? 'unchanged' : 'nothing was published';
  const isCached = fetched !== undefined && existsSync(fetched);
  const isResumable = isCached && (failure === undefined || failure.code === 'upstream');
  return [
    `${out}: ${kept}`,
    ...(isResumable ? [`what was fetched remains in ${fetched}: the same command continues from there`] : []),
  ];
}

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
        ...(more > 0 ? [`  … and ${groupDigits(more)} more`] : []),
      ]),
    ]);

/** The result of a build or a snapshot: records first, files last. */
export function summaryLines(report: Report): string[] {
  const { counts, files, requests, steps } = report;
  const edition = report.edition ? `, ${describeEdition(report.edition)}` : '';
  const lines = [
    ...changeLines(steps),
    `data: ${recordCounts(counts)} from ${report.upstream}${edition}, captured ${report.captured}`,
  ];
  const skipped = kindNames.flatMap((kind) => (report.skipped?.[kind] ?? []).map((id) => `${kind}/${id}`));
  if (skipped.length > 0) lines.push(`left out on purpose: ${firstOf(skipped)}`);
  for (const { kind, code, count, examples } of report.warnings) {
    lines.push(`warning: ${kind} ${code}: ${groupDigits(count)}`);
    for (const example of examples) lines.push(`  ${example}`);
    if (count > examples.length) lines.push(`  … and ${groupDigits(count - examples.length)} more`);
  }
  for (const notice of report.notices) lines.push(`warning: ${notice}`);
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
  lines.push(...publishedLines(report.out, files, report));
  return lines;
}

/** What to do with a site that has changed. */
export function nextLines({ changed, out, install, kept }: BuildReport): string[] {
  const archive = kept === null ? [] : [`archive: ${kept}`];
  if (!changed) return archive;
  const commands = install.length > 0 ? install : [`gamedata serve ${out}, or deploy ${out}`];
  return [...archive, ...commands.map((command) => `next: ${command}`)];
}

export function iconsLines({ mode, icons, missing, offline, requests }: IconsReport): string[] {
  if (mode === 'link') return [];
  const placeholders = mode === 'none' ? icons : missing;
  const parts = [
    counted(icons, 'icon'),
    `${groupDigits(placeholders)} replaced by the placeholder`,
    ...(requests
      ? [counted(requests.bodies, 'body', 'bodies'), `${groupDigits(requests.cacheHits)} from cache`]
      : []),
  ];
  const lines = [`icons: ${parts.join(' · ')}`];
  if (offline !== null) lines.push(`warning: using cached icons: ${offline}`);
  return lines;
}

export function mirrorLines(report: MirrorReport): string[] {
  const { address, out, dryRun, downloaded, fetched, removed, excluded, files, changed, seconds } = report;
  const [present, past] = isAddress(address) ? ['download', 'downloaded'] : ['extract', 'extracted'];
  const lines: string[] = [];
  if (excluded.length > 0) lines.push(`excluded, as host configuration: ${firstOf(excluded)}`);
  if (dryRun && fetched.length > 0) lines.push(`to ${present}: ${firstOf(fetched)}`);
  if (removed.length > 0) lines.push(`${dryRun ? 'to remove' : 'removed'}: ${firstOf(removed)}`);
  const resumed = downloaded.resumed > 0 ? `, ${groupDigits(downloaded.resumed)} resumed` : '';
  lines.push(
    `${counted(downloaded.files, 'file')} ${dryRun ? `to ${present}` : past}, ${readableSize(downloaded.bytes)}${resumed}`,
  );
  if (!changed) lines.push(`${out}: nothing changed, in ${seconds} s`);
  else if (files) lines.push(...publishedLines(out, files, { changed, seconds }));
  return lines;
}

export function rebaseLines(report: RebaseReport): string[] {
  const { out, from, to, links, hosts, stale, files } = report;
  const lines = [`links: from ${from} to ${to}, style ${links}; hosts: ${hosts.join(', ') || 'none'}`];
  if (stale.length > 0)
    lines.push(`warning: copied unchanged, still containing the old base URL: ${firstOf(stale)}`);
  return [...lines, ...publishedLines(out, files, report)];
}

export function archiveLines({ dir, out, files, archives, seconds }: ArchiveReport): string[] {
  const made = archives.map(({ name, bytes }) => `${name}, ${readableSize(bytes)}`).join('; ');
  return [`${dir}: ${counted(files, 'file')} packed into ${out}: ${made}, in ${seconds} s`];
}

const PROBLEMS_SHOWN = 20;

export const verifyLines = (target: string, report: FolderReport | DeploymentReport): string[] =>
  'guarantees' in report ? deploymentLines(report) : folderLines(target, report);

function folderLines(folder: string, { files, counts, problems }: FolderReport): string[] {
  if (problems.length > 0) return problemLines(folder, problems);
  return [`${folder}: ${counted(files, 'file')}, ${recordCounts(counts)}: no problems found`];
}

/** Empty if there are none. */
export function problemLines(folder: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(({ file, problem }) => `${file}: ${problem}`);
  if (problems.length > PROBLEMS_SHOWN)
    lines.push(`… and ${groupDigits(problems.length - PROBLEMS_SHOWN)} more`);
  return [...lines, `${folder}: ${counted(problems.length, 'problem')} found`];
}

/** One line for each guarantee that is not kept, with the first request that shows it. */
function deploymentLines(report: DeploymentReport): string[] {
  const { address, level, hosts, counts, guarantees: results, failed, seconds } = report;
  const lines = results.flatMap(({ guarantee, title, failures }) => {
    const [first] = failures;
    if (!first) return [];
    const more = failures.length > 1 ? ` (and ${groupDigits(failures.length - 1)} more)` : '';
    return [`FAIL ${guarantee}: ${title}: ${first.request}: ${first.problem}${more}`];
  });
  const kept = `${results.length - failed} of ${counted(results.length, 'guarantee')} kept`;
  const expected = hosts ? `host ${hosts.join(', ')}` : `${level} level`;
  return [...lines, `${address}: ${recordCounts(counts)}, ${expected}: ${kept}, in ${seconds} s`];
}

export const hostLines = (hosts: readonly HostDescription[]): string[] =>
  hosts.flatMap(({ name, summary, level, unsupported }) => [
    `${name} (${level}): ${summary}`,
    ...unsupported.map((guarantee) => `  unsupported ${guarantee}: ${guarantees[guarantee].title}`),
  ]);

/** Where a site is served, as URLs that terminals make clickable. */
export function servedLines(folder: string, { url, meta }: SiteServer): string[] {
  const lists = kindNames.map((kind) => `  ${url}${listPath(kind)}?format=api`);
  const lines = [`${printable(folder)}: ${recordCounts(meta.counts)}, served at`, `  ${url}/`, ...lists];
  if (meta.base_url !== url) lines.push(`Links point to the site's base URL, ${meta.base_url}`);
  return lines;
}
