import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import type { SiteFile } from '../../contract/meta.ts';
import { CHANGES_FILE, FORMER_FILE } from '../../contract/paths.ts';
import { joinWords } from '../../contract/words.ts';
import type { DataSet } from '../../dataset/data-set.ts';
import { checkUpdate } from '../../dataset/guard.ts';
import { encodeHistory } from '../../dataset/history.ts';
import { encodeOldSlugs } from '../../dataset/old-slugs.ts';
import { emptyPast, type Past } from '../../dataset/past.ts';
import { planUpdate } from '../../dataset/update.ts';
import { PUBLIC_FOLDER } from '../../package.ts';
import { type Output, withOutput } from '../../publish/publish.ts';
import { loadSource } from '../../sources/index.ts';
import { readPreviousSnapshot, snapshotFiles } from '../../sources/snapshot.ts';
import { defineCommand, type OptionInput, parseOptions, reportOptions } from '../command.ts';
import { assertReplaceableContents } from '../make-site.ts';
import { inGroup, option } from '../options.ts';
import { createReport, formatSummary, groupWarnings, type Report } from '../report.ts';
import {
  resolveSource,
  type SourceOptions,
  sourceOptions,
  waitForSource,
} from '../source-options.ts';

const snapshotOptions = {
  ...sourceOptions,
  ...inGroup('Output:', {
    data: option('--data <dir>', 'folder of the data set', z.string().default('data')),
  }),
};

export type SnapshotOptions = SourceOptions & OptionInput<typeof snapshotOptions>;

/** Lists the files of a data set, including its past and the license of the data. */
export const dataSetFiles = (data: DataSet, past: Past = emptyPast): SiteFile[] => [
  ...snapshotFiles(data),
  { path: CHANGES_FILE, body: encodeHistory(past.history) },
  { path: FORMER_FILE, body: encodeOldSlugs(past.oldSlugs) },
  { path: 'LICENSE.txt', body: readFileSync(path.join(PUBLIC_FOLDER, 'data-license.txt')) },
];

/**
 * Captures the upstream's data into a folder that later builds can read. `auto` means `rest`, because a snapshot has no fallback.
 *
 * @throws UsageError, UpstreamError, DataError, GuardError or OutputError; the data set is then unchanged
 */
export async function snapshot(options: SnapshotOptions = {}): Promise<Report> {
  const started = performance.now();
  const { data, ...parsed } = parseOptions(snapshotOptions, options);
  const name = parsed.source === 'auto' ? 'rest' : parsed.source;
  const source = resolveSource({ ...parsed, source: name }, process.env);
  await waitForSource(source, data);
  const work = async (output: Output): Promise<Report> => {
    assertReplaceableContents(output, 'data set', source.cacheFolder);
    const next = await loadSource(source);
    const update = planUpdate(next, readPreviousSnapshot(output.folder), source);
    checkUpdate(update, source);
    const result = await output.publish(dataSetFiles(update.dataSet, update.past), {
      signal: source.signal,
    });
    const warnings = groupWarnings(next.dataSet.warnings);
    return createReport(next, update, result, { output, warnings, started });
  };
  return withOutput(data, work, source);
}

export const command = defineCommand({
  description: `Reads every ${joinWords(kindNames)}, and writes them to a folder that builds can read instead of the upstream. auto means rest, because a snapshot has no fallback.`,
  options: { ...reportOptions, ...snapshotOptions },
  async run({ options, reporter, watchers, signal }) {
    const output = await snapshot({ ...options, ...watchers, signal });
    reporter.print(formatSummary(output));
    return { output };
  },
  getOut: ({ data = '' }) => data,
});
