import { folderStorage } from '../../built/site-folder.ts';
import { hasFile } from '../../built/storage.ts';
import type { Comparison } from '../../contract/changes.ts';
import { isUrl } from '../../contract/paths.ts';
import {
  compare,
  countChanges,
  type SummarizedRecords,
} from '../../dataset/compare.ts';
import { formatMarkdown, formatText } from '../../dataset/describe-changes.ts';
import { loadRecords } from '../../pipeline/load-records.ts';
import { PROVENANCE_FILE } from '../../sources/snapshot.ts';
import {
  defineCommand,
  exitCodes,
  type OptionInput,
  parseOptions,
} from '../command.ts';
import {
  flag,
  httpUrl,
  inGroup,
  oneOf,
  option,
  parseValue,
  required,
} from '../options.ts';
import { printToStdout } from '../reporter.ts';
import { resolveSource, sourceOptions } from '../source-options.ts';

const { concurrency, signal } = sourceOptions;
const dataSet = required(
  'a snapshot, a site, an archive or the URL of a deployment',
);
const diffOptions = {
  /**
   * The older data set: a snapshot's folder, a site's folder or archive, or a
   * deployment's URL.
   */
  from: { schema: dataSet },
  /** The newer data set, in any of the same forms. */
  to: { schema: dataSet },
  concurrency,
  signal,
};

export type DiffOptions = OptionInput<typeof diffOptions> &
  Readonly<Record<'from' | 'to', string>>;

/**
 * Compares two data sets.
 *
 * @throws UsageError, OutputError, UpstreamError or DataError if a data set cannot
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

type LoadOptions = Pick<DiffOptions, 'signal'> & { readonly concurrency: number };

async function readTarget(
  target: string,
  options: LoadOptions,
): Promise<SummarizedRecords> {
  const upstream = isUrl(target) ? parseValue(httpUrl, target, 'address') : target;
  const isSnapshot = hasFile(folderStorage(upstream), PROVENANCE_FILE);
  const parsed = parseOptions(sourceOptions, {
    ...options,
    source: isSnapshot ? 'snapshot' : 'site',
    upstream,
    names: false,
    cache: false,
  });
  return loadRecords(resolveSource(parsed, {}));
}

const formats = {
  text: formatText,
  json: (comparison: Comparison) => [JSON.stringify(comparison)],
  markdown: formatMarkdown,
};
const formatNames = Object.keys(formats) as (keyof typeof formats)[];

const outputOptions = inGroup('Output:', {
  format: option(
    '--format <format>',
    'output format',
    oneOf(formatNames).default('text'),
  ),
  exitCode: flag('--exit-code', 'exit with 3 instead of 0 if there are differences'),
});

export const command = defineCommand({
  description:
    "Compares two data sets, each given by a snapshot's folder, a site's folder or archive (.tar.gz), or a deployment's URL: records added, removed, renamed (same id, new slug) and changed, field by field.",
  arguments: { '<old>': ['the older data set'], '<new>': ['the newer data set'] },
  options: { ...outputOptions, ...diffOptions },
  exitsOnSignal: true,
  async run({ options }, from: string, to: string) {
    const { format, exitCode, ...diffOptions } = options;
    const output = parseOptions(outputOptions, { format });
    const comparison = await diff({ ...diffOptions, from, to });
    const lines = formats[output.format](comparison);
    printToStdout(lines);
    const reportsDifference = exitCode === true && countChanges(comparison) > 0;
    return { exitCode: reportsDifference ? exitCodes.different : exitCodes.done };
  },
});
