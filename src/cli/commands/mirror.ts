import { isUrl } from '../../contract/paths.ts';
import { describeSubject } from '../../contract/words.ts';
import { makeSite } from '../../pipeline/make-site.ts';
import type { BuildReport } from '../../pipeline/report.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { httpUrl, parseValue, required } from '../options.ts';
import { siteOptions } from '../site-options.ts';
import { resolveSource, sourceOptions } from '../source-options.ts';
import { outputFolder, reportBuild } from './build.ts';

const { source: _, upstream: __, ...dataOptions } = sourceOptions;

const mirrorOptions = {
  ...dataOptions,
  ...siteOptions,
  /** The site to copy: the base URL of a deployment, or a folder. */
  from: { schema: required('the URL or folder of a site') },
  /** The folder of the copy. */
  out: { schema: outputFolder },
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
 * Builds a site from the data set of another site, and the base URL and the links of that
 * site, unless others are given. All other settings have the same defaults as in a build.
 *
 * @throws GamedataError. The published copy is then unchanged, except if files could
 * not be moved into place. The next command completes such a change.
 */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const wanted = parseOptions(mirrorOptions, options);
  const { from, out } = wanted;
  const address = isUrl(from) ? parseValue(httpUrl, from, 'address') : from;
  const report = await makeSite({
    out,
    copiedFrom: address,
    // A copy reads a data set folder, as a build from a snapshot does.
    source: resolveSource({ ...wanted, source: 'snapshot', upstream: address }),
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
    '<url|dir>': ['the site to copy'],
    '<copy>': ['folder of the copy'],
  },
  options: { ...reportOptions, ...mirrorOptions },
  inherits: 'build',
  async run({ options, watchers, signal, reporter }, from: string, out: string) {
    const report = await mirror({ ...options, ...watchers, from, out, signal });
    return reportBuild(report, reporter);
  },
});
