/** The diff command: reads two data sets, wherever they are, and compares them. */

import type { Comparison } from '../../contract/changes.ts';
import { compare, countChanges } from '../../dataset/compare.ts';
import { markdownLines, textLines } from '../../dataset/describe-changes.ts';
import { isAddress } from '../../sources/source.ts';
import { checkValue, httpUrl, oneOf } from '../checks.ts';
import { declare } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { settledSource } from '../folders.ts';
import { checkOptions, flag, type Given, inGroup, option } from '../options.ts';
import { print } from '../perform.ts';
import { sourceOptions } from '../shared-options.ts';

const { concurrency, signal } = sourceOptions;
const diffOptions = { concurrency, signal };

export type DiffOptions = Given<typeof diffOptions>;

/**
 * Compares two data sets, each given by a snapshot's folder, a site's folder or archive, or a deployment's URL.
 *
 * @throws UsageError, OutputError, UpstreamError or DataError if one of them cannot be read completely
 */
export async function diff(before: string, after: string, options: DiffOptions = {}): Promise<Comparison> {
  const checked = checkOptions(diffOptions, options);
  for (const target of [before, after]) {
    if (isAddress(target)) checkValue(httpUrl, target, 'address');
    await settledSource(target);
  }
  const { readDataSet } = await import('../../sources/read-data-set.ts');
  const [from, to] = await Promise.all([readDataSet(before, checked), readDataSet(after, checked)]);
  return compare(from, to);
}

const formats = {
  text: textLines,
  json: (comparison: Comparison) => [JSON.stringify(comparison)],
  markdown: markdownLines,
};
const formatNames = Object.keys(formats) as (keyof typeof formats)[];

const outputOptions = inGroup('Output:', {
  format: option('--format <format>', 'one of', oneOf(formatNames).default('text')),
  exitCode: flag('--exit-code', 'exit with 3 instead of 0 if there are differences'),
});

export const command = declare({
  description:
    "Compares two data sets, each given by a snapshot's folder, a site's folder or archive (.tar.gz), or a deployment's URL: records added, removed, renamed (same id, new slug) and changed, field by field.",
  arguments: { '<old>': ['the older data set'], '<new>': ['the newer data set'] },
  presentation: {},
  options: { ...outputOptions, ...diffOptions },
  endsAtOnce: true,
  async run({ options: { format: given, exitCode, ...options } }, before: string, after: string) {
    const { format } = checkOptions(outputOptions, { format: given });
    const comparison = await diff(before, after, options);
    print(formats[format](comparison));
    const differs = exitCode === true && countChanges(comparison) > 0;
    return { exitCode: differs ? exitCodes.different : exitCodes.done };
  },
});
