/** Lines that several commands print. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { kindNames } from '../contract/kinds.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { counted, firstOf, groupDigits, readableSize } from '../contract/words.ts';
import type { Missing } from '../dataset/guards.ts';
import type { GamedataError } from '../errors.ts';
import type { PublishResult } from '../publish/publish.ts';
import type { Problem } from '../verify/folder.ts';

export const recordCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([kind, count]) => counted(count, kind))
    .join(', ');

/** `build: 3,248 files, 2.1 MB: 12 written, 3,236 kept, 0 removed, in 0.4 s`, and what could not be cleaned up. */
export function publishedLines(
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

/** What was done first, what is gone, and what was not taken over. */
export function lossLines({ notices, missing, leftBehind = [] }: Losses): string[] {
  const gone = kindNames.filter((kind) => missing[kind].length > 0);
  return [
    ...notices.map((notice) => `warning: ${notice}`),
    ...gone.map((kind) => `removed: ${counted(missing[kind].length, kind)}: ${firstOf(missing[kind])}`),
    ...(leftBehind.length > 0 ? [`left behind: ${firstOf(leftBehind)}`] : []),
  ];
}

interface Losses {
  readonly notices: readonly string[];
  readonly missing: Missing;
  readonly leftBehind?: readonly string[];
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
  if (cache === false || !isResumable || !existsSync(cache)) return [`${out}: ${kept}`];
  return [`${out}: ${kept}`, `what was fetched remains in ${cache}: the same command continues from there`];
}

const PROBLEMS_SHOWN = 20;

/** Empty if there are none. */
export function problemLines(folder: string, problems: readonly Problem[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(({ file, problem }) => `${file}: ${problem}`);
  if (problems.length > PROBLEMS_SHOWN)
    lines.push(`… and ${groupDigits(problems.length - PROBLEMS_SHOWN)} more`);
  return [...lines, `${folder}: ${counted(problems.length, 'problem')} found`];
}
