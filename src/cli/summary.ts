/** The lines that commands print: the closing summary of a build or a snapshot, and what several of them tell. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Comparison } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import { describeEdition } from '../contract/meta.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { formatBytes, formatCount, groupDigits, listFirst } from '../contract/words.ts';
import { describeGroups, formatHeadline } from '../dataset/describe-changes.ts';
import type { GamedataError } from '../errors.ts';
import { attempt, readText } from '../files.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import type { IconsReport } from '../sources/icons.ts';
import type { Problem } from '../verify/folder.ts';
import type { SiteReport } from './make-site.ts';
import type { Report } from './report.ts';

/** The number of records of a group that a summary names. */
const RECORDS_SHOWN = 3;
const REMOVED_SHOWN = 20;

/** The changes of each step of the history, with examples. */
const changeLines = (steps: readonly Comparison[]): string[] =>
  steps
    .toReversed()
    .flatMap((step) => [
      `records: ${formatHeadline(step)}`,
      ...describeGroups(step, { max: RECORDS_SHOWN, maxRemoved: REMOVED_SHOWN }).flatMap(
        ({ title, lines, more }) => [
          ...lines.map((line) => `  ${title.toLowerCase()}: ${line}`),
          ...moreLines(more),
        ],
      ),
    ]);

const moreLines = (more: number): string[] => (more > 0 ? [`  … and ${groupDigits(more)} more`] : []);

const warningLines = (texts: readonly string[]): string[] => texts.map((text) => `warning: ${text}`);

/** The fields that only builds and copies report. */
interface OfBuild
  extends Pick<SiteReport, 'leftBehind' | 'missingKinds' | 'baseUrl' | 'baseUrlFrom' | 'sprites'> {
  readonly verified: number | null;
  readonly problems: readonly Problem[];
}

/** The result of a build, apart from its problems. */
export function buildLines(report: Report & OfBuild): string[] {
  const lines = summaryLines(report);
  return report.changed ? [...lines, ...iconsLines(report.sprites), ...verifiedLines(report)] : lines;
}

/** The result: records first, files last. One line if nothing has changed, unless something was doubtful. */
export function summaryLines(report: Report & Partial<OfBuild>): string[] {
  const { counts, steps, nameChanges, skipped, warnings, notices, requests } = report;
  const edition = report.edition ? `, ${describeEdition(report.edition)}` : '';
  const captured = `captured ${report.captured}`;
  if (!report.changed) {
    const lines = [...warningLines(notices), ...publishedLines(report)];
    const data = `${recordCounts(counts)}, ${captured}${edition}`;
    return [
      ...lines.slice(0, -1),
      [lines.at(-1), data, ...baseUrlLines(report), ...verifiedLines(report)].join('; '),
    ];
  }
  const left = kindNames.flatMap((kind) => (skipped?.[kind] ?? []).map((id) => `${kind}/${id}`));
  return [
    ...changeLines(steps),
    ...nameChanges.map((one) => `names: ${formatCount(one.changed, 'name')} changed in ${one.language}`),
    `data: ${recordCounts(counts)} from ${report.upstream}${edition}, ${captured}`,
    ...(left.length > 0 ? [`skipped: ${listFirst(left)}`] : []),
    ...warnings.flatMap(({ kind, code, count, examples }) => [
      ...warningLines([`${kind} ${code}: ${groupDigits(count)}`]),
      ...examples.map((example) => `  - ${example}`),
      // A copied site has only the number.
      ...(examples.length > 0 ? moreLines(count - examples.length) : []),
    ]),
    ...warningLines(notices),
    ...(requests ? [`fetched: ${fetchedParts(requests, report.isCached).join(' · ')}`] : []),
    ...(steps.length === 0 ? goneLines(report, 'removed since the last build') : []),
    ...leftBehindLines(report),
    ...baseUrlLines(report),
    ...publishedLines(report),
  ];
}

function fetchedParts(requests: FetcherStats, isCached: boolean): string[] {
  return [
    formatCount(requests.requests, 'request'),
    formatCount(requests.bodies, 'body'),
    formatBytes(requests.bytes),
    `${groupDigits(requests.notModified)} not modified`,
    `${groupDigits(requests.cacheHits)} from cache`,
    ...(requests.retries > 0 ? [formatCount(requests.retries, 'retry')] : []),
    ...(isCached ? ['the upstream has no newer edition'] : []),
  ];
}

const verifiedLines = ({ verified = null, problems = [] }: Partial<OfBuild>): string[] =>
  verified === null || problems.length > 0 ? [] : [`verified ${formatCount(verified, 'file')}`];

function iconsLines({ mode, icons, missing, offline, requests }: IconsReport): string[] {
  if (mode === 'link') return [];
  const parts = [
    formatCount(icons, 'icon'),
    `${groupDigits(mode === 'none' ? icons : missing)} replaced by the placeholder`,
    ...(requests
      ? [formatCount(requests.bodies, 'body'), `${groupDigits(requests.cacheHits)} from cache`]
      : []),
  ];
  const cached = offline === null ? [] : warningLines([`using cached icons: ${offline}`]);
  return [`icons: ${parts.join(' · ')}`, ...cached];
}

export const recordCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([kind, count]) => formatCount(count, kind))
    .join(', ');

/** `build: 3,248 files, 2.1 MB: 12 written, 3,236 kept, 0 removed, in 0.4 s` */
export function publishedLines({ out, files, changed, seconds }: Published): string[] {
  const what = changed
    ? `${groupDigits(files.written)} written, ${groupDigits(files.kept)} kept, ${groupDigits(files.removed)} removed`
    : 'nothing changed';
  return [
    `${out}: ${formatCount(files.files, 'file')}, ${formatBytes(files.bytes)}: ${what}, in ${seconds} s`,
  ];
}

type Published = Pick<Report, 'out' | 'files' | 'changed' | 'seconds'>;

const goneLines = ({ missing }: Pick<Report, 'missing'>, what: string): string[] =>
  kindNames
    .filter((kind) => missing[kind].length > 0)
    .map(
      (kind) =>
        `${what}: ${formatCount(missing[kind].length, kind)}: ${listFirst(missing[kind], REMOVED_SHOWN)}`,
    );

function leftBehindLines({ missingKinds = [], leftBehind = [] }: Partial<OfBuild>): string[] {
  const kinds = missingKinds.length > 0 ? [`not copied: kinds ${missingKinds.join(', ')}`] : [];
  return leftBehind.length > 0
    ? [...kinds, `not copied: ${formatCount(leftBehind.length, 'file')}: ${listFirst(leftBehind)}`]
    : kinds;
}

/** Says where the base URL comes from, unless the user named it. */
function baseUrlLines({ baseUrl, baseUrlFrom }: Partial<OfBuild>): string[] {
  if (baseUrlFrom === 'published') return [`base URL: ${baseUrl}, as published`];
  return baseUrlFrom === 'source' ? [`base URL: ${baseUrl}, as in the source`] : [];
}

/**
 * What a failure or an interruption leaves: the published folder, and what was fetched, if that is where the work ended.
 *
 * @param cache the folder of the disk cache; false or undefined if nothing is kept there
 */
export function keptLines(
  out: string,
  failure: GamedataError | undefined,
  cache: string | false = false,
): string[] {
  const kept = existsSync(path.join(out, MANIFEST_FILE)) ? 'unchanged' : 'nothing was published';
  const isResumable = failure === undefined || failure.code === 'upstream';
  if (cache === false || !isResumable || !holdsNew(cache)) return [`${out}: ${kept}`];
  return [`${out}: ${kept}`, `what was fetched remains in ${cache}: the same command continues from there`];
}

/** Whether this process has added something to a journal of the cache: one that is new has nothing but its first line. */
const holdsNew = (cache: string): boolean =>
  (attempt(() => readdirSync(cache)) ?? []).some(
    (file) =>
      statSync(path.join(cache, file)).mtimeMs >= performance.timeOrigin &&
      attempt(() => readText(cache, file))?.includes('\n'),
  );

const PROBLEMS_SHOWN = 20;

/** Empty if there are none. */
export function problemLines(folder: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(({ file, problem }) => `${file}: ${problem}`);
  if (problems.length > PROBLEMS_SHOWN)
    lines.push(`… and ${groupDigits(problems.length - PROBLEMS_SHOWN)} more`);
  return [...lines, `${folder}: ${formatCount(problems.length, 'problem')} found`];
}
