/** The reporter: tells people on stderr what is going on, one live line on a terminal and plain lines elsewhere. */

import { listPath } from './contract/addresses.ts';
import type { Counts } from './contract/data-set.ts';
import { kindNames } from './contract/kinds.ts';
import { printable } from './printable.ts';
import type { Report } from './report.ts';
import type { SiteServer } from './serve.ts';
import type { Progress } from './sources/source.ts';
import type { DeploymentReport } from './verify/deployment.ts';
import type { FolderReport } from './verify/folder.ts';

export interface Reporter {
  progress(progress: Progress): void;
  /** Ends the live line. */
  settle(): void;
  /** Something that whoever runs this should know. Shown even where everything else is quiet. */
  notice(text: string): void;
  summary(report: Report): void;
  /** What came of a command, in lines. */
  told(lines: readonly string[]): void;
  verified(target: string, report: FolderReport | DeploymentReport): void;
}

/** Milliseconds between two states of the live line, and between two plain lines. */
const LIVE_INTERVAL = 100;
const PLAIN_INTERVAL = 5000;

/** To the first column, and erase the line (ECMA-48). `node:readline` has this too, and makes every start slower. */
const ERASE_LINE = '\x1b[1G\x1b[2K';

export function createReporter(stream: NodeJS.WriteStream, { quiet }: { quiet: boolean }): Reporter {
  const live = stream.isTTY && process.env.TERM !== 'dumb';
  const started = performance.now();
  let shownAt = started;
  let liveShown = false;

  const line = (text: string): void => void stream.write(`${printable(text)}\n`);
  function settle(): void {
    if (liveShown) stream.write(ERASE_LINE);
    liveShown = false;
  }

  return {
    settle,
    progress(progress) {
      const now = performance.now();
      const isLast = progress.total > 0 && progress.done === progress.total;
      if (quiet || (now - shownAt < (live ? LIVE_INTERVAL : PLAIN_INTERVAL) && !isLast)) return;
      shownAt = now;
      const text = progressLine(progress, (now - started) / 1000);
      if (!live || isLast) {
        settle();
        line(text);
        return;
      }
      stream.write(ERASE_LINE + text.slice(0, stream.columns - 1));
      liveShown = true;
    },
    notice(text) {
      settle();
      line(text);
    },
    summary(report) {
      settle();
      if (!quiet) for (const text of summaryLines(report)) line(text);
    },
    told(lines) {
      settle();
      if (!quiet) for (const text of lines) line(text);
    },
    verified(target, report) {
      const failed = 'clauses' in report ? report.failed > 0 : report.problems.length > 0;
      if (!quiet || failed) for (const text of verifyLines(target, report)) line(text);
    },
  };
}

/** `1,200 of 3,160 records · 412 requests/s · 3 retries · 20 from the cache · 5 s left` */
export function progressLine({ done, total, requests }: Progress, seconds: number): string {
  const parts = [`${number(done)} of ${number(total)} read`];
  if (seconds > 0) parts.push(`${number(Math.round(requests.requests / seconds))} requests/s`);
  if (requests.retries > 0) parts.push(plural(requests.retries, 'retry', 'retries'));
  if (requests.cacheHits > 0) parts.push(`${number(requests.cacheHits)} from the cache`);
  if (done > 0 && done < total) parts.push(`${number(Math.ceil((seconds / done) * (total - done)))} s left`);
  return parts.join(' · ');
}

/** What a build or snapshot did, in a few lines. */
export function summaryLines(report: Report): string[] {
  const { counts, files, requests } = report;
  const lines: string[] = [];
  for (const { kind, code, count, examples } of report.warnings) {
    lines.push(`warning: ${kind} ${code}: ${number(count)}`);
    for (const example of examples) lines.push(`  ${example}`);
    if (count > examples.length) lines.push(`  … and ${number(count - examples.length)} more`);
  }
  lines.push(`data: ${recordCounts(counts)} from ${report.upstream}, captured ${report.captured}`);
  if (requests) {
    const sent = [
      plural(requests.requests, 'request', 'requests'),
      plural(requests.bodies, 'body', 'bodies'),
      size(requests.bytes),
    ];
    sent.push(`${number(requests.notModified)} not modified`, `${number(requests.cacheHits)} from the cache`);
    if (requests.retries > 0) sent.push(plural(requests.retries, 'retry', 'retries'));
    lines.push(`fetched: ${sent.join(' · ')}`);
  }
  for (const kind of kindNames) {
    const gone = report.missing[kind];
    if (gone.length > 0)
      lines.push(`gone since the last data: ${plural(gone.length, kind, `${kind}s`)}: ${some(gone)}`);
  }
  const what = report.changed
    ? `${number(files.written)} written, ${number(files.kept)} kept, ${number(files.removed)} removed`
    : 'nothing changed';
  lines.push(
    `${report.out}: ${plural(files.files, 'file', 'files')}, ${size(files.bytes)}: ${what}, in ${report.seconds} s`,
  );
  return lines;
}

const PROBLEMS_SHOWN = 20;

export function verifyLines(target: string, report: FolderReport | DeploymentReport): string[] {
  return 'clauses' in report ? deploymentLines(report) : folderLines(target, report);
}

function folderLines(folder: string, { files, counts, problems }: FolderReport): string[] {
  if (problems.length === 0) {
    return [`${folder}: ${plural(files, 'file', 'files')}, ${recordCounts(counts)}: complete and right`];
  }
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(({ file, problem }) => `${file}: ${problem}`);
  if (problems.length > PROBLEMS_SHOWN) lines.push(`… and ${number(problems.length - PROBLEMS_SHOWN)} more`);
  return [...lines, `${folder}: ${plural(problems.length, 'problem', 'problems')} found`];
}

/** One line for each clause that does not hold, with the first request that shows it. */
function deploymentLines({ address, level, counts, clauses, failed, seconds }: DeploymentReport): string[] {
  const lines = clauses.flatMap(({ clause, title, failures }) => {
    const [first] = failures;
    if (!first) return [];
    const more = failures.length > 1 ? ` (and ${number(failures.length - 1)} more)` : '';
    return [`FAIL ${clause}: ${title}: ${first.request}: ${first.problem}${more}`];
  });
  const kept = `${clauses.length - failed} of ${plural(clauses.length, 'clause', 'clauses')} kept`;
  return [...lines, `${address}: ${recordCounts(counts)}, ${level} level: ${kept}, in ${seconds} s`];
}

/** How many names a line has room for. */
const NAMES_SHOWN = 10;

export const some = (names: readonly string[]): string =>
  names.slice(0, NAMES_SHOWN).join(', ') +
  (names.length > NAMES_SHOWN ? `, … ${number(names.length - NAMES_SHOWN)} more` : '');

const recordCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([kind, count]) => plural(count, kind, `${kind}s`))
    .join(', ');

/** Where a site is served, in links that terminals let one click. */
export function servedLines(folder: string, { url, meta }: SiteServer): string[] {
  const lists = kindNames.map((kind) => `  ${url}${listPath(kind)}?format=api`);
  const lines = [`${printable(folder)}: ${recordCounts(meta.counts)}, served at`, `  ${url}/`, ...lists];
  if (meta.base_url !== url) lines.push(`Links in the site lead to its base URL, ${meta.base_url}`);
  return lines;
}

export const number = (value: number): string => value.toLocaleString('en-US');
export const plural = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`;
export const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
