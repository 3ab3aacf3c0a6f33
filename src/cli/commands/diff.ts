import * as z from 'zod';
import type { Comparison } from '../../contract/changes.ts';
import { isUrl } from '../../contract/paths.ts';
import { describeSubject } from '../../contract/words.ts';
import { withRecords } from '../../data/advance.ts';
import {
  compare,
  countChanges,
  type SummarizedRecords,
} from '../../data/compare.ts';
import { readPreviousDataSet } from '../../data/data-set-folder.ts';
import { formatMarkdown, formatText } from '../../data/describe-changes.ts';
import type { SourceSettings } from '../../pipeline/settings.ts';
import { openDataSet } from '../../site-folder.ts';
import { defineCommand, type OptionInput, parseOptions } from '../command.ts';
import { flag, folderOrUrl, inGroup, option } from '../options.ts';
import { exitCodes } from '../print-error.ts';
import { printToStdout } from '../reporter.ts';
import { sourceOptions } from '../source-options.ts';

const { concurrency, signal } = sourceOptions;
const diffOptions = {
  /** The older data set: the folder or URL of a data set or a site. */
  from: { schema: folderOrUrl },
  /** The newer data set, in any of the same forms. */
  to: { schema: folderOrUrl },
  concurrency,
  signal,
};

export type DiffOptions = OptionInput<typeof diffOptions> &
  Readonly<Record<'from' | 'to', string>>;

/**
 * Compares two data sets.
 *
 * @throws GamedataError if a data set cannot
 * be read completely
 */
export async function diff(options: DiffOptions): Promise<Comparison> {
  const { from, to, ...parsed } = parseOptions(diffOptions, options);
  const [older, newer] = await Promise.all([
    readTarget(from, parsed),
    readTarget(to, parsed),
  ]);
  return compare(older, newer);
}

/** Reads the records of a data set, which any version of gamedata may have written. */
async function readTarget(
  target: string,
  options: Pick<SourceSettings, 'concurrency' | 'signal'>,
): Promise<SummarizedRecords> {
  if (!isUrl(target)) {
    return withRecords(await readPreviousDataSet(openDataSet(target)));
  }
  // Most data sets are in local folders, so we import undici only when we need it.
  const { readRemoteDataSet } = await import('../../upstream/remote-data.ts');
  const { dataSet } = await readRemoteDataSet(target, options);
  return withRecords(dataSet);
}

const formats = {
  text: formatText,
  json: (comparison: Comparison) => [JSON.stringify(comparison)],
  markdown: formatMarkdown,
};

export const command = defineCommand({
  description: `Compares the ${describeSubject()} of two data sets or sites: added, removed, renamed (same id, new slug) and changed records.`,
  examples: [
    'gamedata diff build https://example.org',
    'gamedata diff data newer-data --format markdown',
  ],
  arguments: { '<old>': 'the older data set', '<new>': 'the newer data set' },
  options: {
    ...inGroup('Output:', {
      format: option(
        '--format <format>',
        'output format',
        z.enum(['text', 'json', 'markdown']).default('text'),
      ),
      exitCode: flag(
        '--exit-code',
        'exit with 3 instead of 0 if there are differences',
      ),
    }),
    ...diffOptions,
  },
  async run({ options }, from: string, to: string) {
    const { format = 'text', exitCode, ...diffOptions } = options;
    const comparison = await diff({ ...diffOptions, from, to });
    printToStdout(formats[format](comparison));
    const isReported = exitCode === true && countChanges(comparison) > 0;
    return isReported ? { exitCode: exitCodes.different } : {};
  },
});
