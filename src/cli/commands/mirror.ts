import { describeSubject } from '../../contract/words.ts';
import { makeSite } from '../../pipeline/make-site.ts';
import type { BuildReport } from '../../pipeline/report.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { folder, folderOrUrl } from '../options.ts';
import { siteOptions } from '../site-options.ts';
import { resolveSource, sourceOptions } from '../source-options.ts';
import { reportBuild } from './build.ts';

// A copy reads all records of the copied site, so these options would have no effect.
const { source, upstream, cache, skip, ...dataOptions } = sourceOptions;

const mirrorOptions = {
  ...dataOptions,
  ...siteOptions,
  /** The site to copy: the base URL of a deployment, or a folder. */
  from: { schema: folderOrUrl },
  /** The destination folder. */
  out: { schema: folder },
};

export type MirrorOptions = OptionInput<typeof mirrorOptions> & {
  readonly from: string;
  readonly out: string;
};

export interface MirrorReport extends BuildReport {
  /** The folder or normalized URL of the copied site. */
  readonly address: string;
}

/**
 * Copies a site by building it again from its data set. The base URL and the style of
 * links default to those of the copied site. All other settings have the same defaults
 * as in a build.
 *
 * @throws GamedataError. The published copy is then unchanged, unless files could not
 * be moved into place. In that case, the next command completes the change.
 */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const wanted = parseOptions(mirrorOptions, options);
  const { from: address, out } = wanted;
  const report = await makeSite({
    out,
    copiedFrom: address,
    // A copy reads a data set folder, as a build from a snapshot does.
    source: resolveSource({
      ...wanted,
      source: 'snapshot',
      upstream: address,
      // Nothing is cached, because a data set has only a few files.
      cache: '',
      skip: undefined,
    }),
    wanted,
  });
  return { ...report, address };
}

export const command = defineCommand({
  description: `Copies a site with all ${describeSubject()}: builds it again from its data set and its icons.`,
  examples: [
    'gamedata mirror https://example.org copy',
    'gamedata mirror https://example.org copy --base-url http://127.0.0.1:3000',
  ],
  arguments: {
    '<url|dir>': 'the site to copy',
    '<copy>': 'folder of the copy',
  },
  options: { ...reportOptions, ...mirrorOptions },
  inherits: 'build',
  async run({ options, watchers, signal, reporter }, from: string, out: string) {
    const report = await mirror({ ...options, ...watchers, from, out, signal });
    return reportBuild(report, reporter);
  },
});
