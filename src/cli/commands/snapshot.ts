import { describeSubject } from '../../contract/words.ts';
import { makeDataSet } from '../../pipeline/make-data-set.ts';
import type { Report } from '../../pipeline/report.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { folder, inGroup, option } from '../options.ts';
import {
  resolveSource,
  type SourceOptions,
  sourceOptions,
} from '../source-options.ts';
import { formatSummary } from '../summary.ts';

const snapshotOptions = {
  ...sourceOptions,
  ...inGroup('Output:', {
    data: option('--data <dir>', 'folder of the data set', folder.default('data')),
  }),
};

export type SnapshotOptions = SourceOptions & OptionInput<typeof snapshotOptions>;

/**
 * Saves the upstream's data in a folder that later builds can read. `auto` means
 * `rest`, because a snapshot has no fallback.
 *
 * @throws GamedataError. The data set is then unchanged, unless files could not be
 * moved into place. In that case, the next command completes the change.
 */
export async function snapshot(options: SnapshotOptions = {}): Promise<Report> {
  const { data, ...parsed } = parseOptions(snapshotOptions, options);
  const name = parsed.source === 'auto' ? 'rest' : parsed.source;
  return makeDataSet(data, resolveSource({ ...parsed, source: name }));
}

export const command = defineCommand({
  description: `Reads all ${describeSubject()}, and writes them to a folder that builds can read instead of the upstream.`,
  examples: [
    'gamedata snapshot   # refreshes data/',
    'gamedata snapshot --source csv --data /srv/data',
  ],
  options: { ...reportOptions, ...snapshotOptions },
  async run({ options, reporter, watchers, signal }) {
    const output = await snapshot({ ...options, ...watchers, signal });
    reporter.print(formatSummary(output));
    return { output };
  },
});
