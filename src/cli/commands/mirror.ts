import path from 'node:path';
import {
  ARCHIVE_EXTENSION,
  isArchive,
  isUrl,
  removeTrailingSlashes,
} from '../../contract/paths.ts';
import { isSameFolder } from '../../files.ts';
import { makeSite } from '../../pipeline/make-site.ts';
import type { BuildReport } from '../../pipeline/report.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  reportOptions,
} from '../command.ts';
import { httpUrl, parseValue, required } from '../options.ts';
import { resolveWanted, siteOptions } from '../site-options.ts';
import { resolveSource, sourceOptions } from '../source-options.ts';
import { outputFolder, reportBuild } from './build.ts';

const { source: _, upstream: __, ...dataOptions } = sourceOptions;

const mirrorOptions = {
  ...dataOptions,
  ...siteOptions,
  /** The site to copy: the URL of a deployment, an archive or a folder. */
  from: { schema: required('the URL, archive or folder of a site') },
  /**
   * The folder of the copy. The default is `from` if that is a folder. Otherwise,
   * the name is derived from the URL or archive, such as `example.org`.
   */
  out: { schema: outputFolder.optional() },
};

export type MirrorOptions = OptionInput<typeof mirrorOptions> & {
  readonly from: string;
};

export interface MirrorReport extends BuildReport {
  /** The folder, archive or normalized URL of the copied site. */
  readonly address: string;
}

/**
 * Rebuilds a site from the records, names, old slugs, history and icons of another
 * site. If the output folder is empty, the base URL and the link style come from the
 * copied site. All other settings have the same defaults as in a build.
 *
 * @throws UsageError, UpstreamError, OutputError, DataError or GuardError. The
 * published copy is then unchanged, except if files could not be moved into place.
 * The next command completes such a change.
 */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const {
    from: named,
    out: folder,
    verify,
    ...parsed
  } = parseOptions(mirrorOptions, options);
  const from = isUrl(named) ? parseValue(httpUrl, named, 'address') : named;
  const out = folder ?? nameCopy(from);
  // `isSameFolder` follows symlinks, because `from` may be a symlink to the output
  // folder.
  const isItself = !isUrl(from) && isSameFolder(from, out);
  const report = await makeSite({
    out,
    verify,
    copies: isItself ? 'itself' : 'another',
    source: resolveSource(
      { ...parsed, source: 'site', upstream: from },
      process.env,
    ),
    wanted: resolveWanted(parsed, process.env),
  });
  return { ...report, address: from };
}

/**
 * Chooses the folder of a copy: the host name of a URL (`example.org`), or the name
 * of an archive without its extension. A folder is rebuilt in place.
 */
function nameCopy(source: string): string {
  if (isArchive(source)) {
    const archiveName = path.basename(source);
    return archiveName.replace(ARCHIVE_EXTENSION, '');
  }
  if (!isUrl(source)) return source;
  // A valid URL is normalized first: `https://Example.ORG` becomes
  // `https://example.org`.
  const url = httpUrl.safeParse(source).data ?? source;
  const address = removeTrailingSlashes(url).replace(/^https?:\/\//i, '');
  return address.replace(/[^\w.-]+/g, '-');
}

export const command = defineCommand({
  description:
    'Rebuilds a site from the records, names, old slugs, history and icons in a deployment, an archive (.tar.gz) or a folder, completely or not at all.',
  arguments: {
    '<url|archive|dir>': ['the site to copy'],
    '[dir]': [
      'folder of the copy (default: the folder itself, or named after the source)',
    ],
  },
  options: { ...reportOptions, ...mirrorOptions },
  inherits: 'build',
  async run({ options, watchers, signal, reporter }, from: string, out?: string) {
    const report = await mirror({ ...options, ...watchers, from, out, signal });
    return reportBuild(report, reporter);
  },
  getOut: (_, from: string, out = nameCopy(from)) => out,
});
