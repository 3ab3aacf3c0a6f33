/** The archive command: a site's folder → archives for download, with their checksums. */

import { hash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { ARCHIVE_NAMES, type ArchiveName, isServerFile } from '../../contract/paths.ts';
import { counted, readableSize, secondsSince } from '../../contract/words.ts';
import { packSite } from '../../site/archive/pack.ts';
import { folderPlace } from '../../sources/site/place.ts';
import { openSite } from '../../sources/site/read.ts';
import { readContents, replaceFiles } from '../archives.ts';
import { declare, reportOptions } from '../command.ts';
import { checkOutside, settledSource } from '../folders.ts';
import { checkOptions, type Given, inGroup, text, withDefault } from '../options.ts';
import { BUILD_FOLDER } from '../site-options.ts';

const archiveOptions = inGroup('Output:', {
  /** The folder of the archives. Default: the current one. */
  out: withDefault('.', text('--out <dir>', 'folder of the archives')),
});

export type ArchiveOptions = Given<typeof archiveOptions>;

export interface ArchiveReport {
  readonly dir: string;
  readonly out: string;
  /** Files in each archive, including the manifest. */
  readonly files: number;
  readonly archives: readonly {
    readonly name: ArchiveName;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly seconds: number;
}

/**
 * Packs a site: the same bytes for the same site on any machine. Archives inside the site are left out.
 *
 * @throws UsageError if the archives would lie inside the site
 * @throws OutputError if the folder is not a valid site, or the archives cannot be written
 */
export async function archive(
  dir: string = BUILD_FOLDER,
  options: ArchiveOptions = {},
): Promise<ArchiveReport> {
  const started = performance.now();
  const { out } = checkOptions(archiveOptions, options);
  checkOutside('--out', out, dir);
  await settledSource(dir);
  const { files, description } = readContents(openSite(folderPlace(dir)));
  const archives = await packSite(files, description);
  replaceFiles(out, archives);
  return {
    dir,
    out,
    files: files.filter(({ path }) => !isServerFile(path)).length + 1,
    archives: ARCHIVE_NAMES.map((name) => ({
      name,
      bytes: archives[name].length,
      sha256: hash('sha256', archives[name]),
    })),
    seconds: secondsSince(started),
  };
}

export const command = declare({
  summary: 'pack a site for download',
  description:
    'Packs a site into gamedata.tar.gz and gamedata.zip, with checksums in gamedata.sha256: the same bytes for the same site.',
  arguments: { '[dir]': ['folder of the site', BUILD_FOLDER] },
  presentation: reportOptions,
  options: archiveOptions,
  async run({ options, reporter }, dir: string) {
    const report = await archive(dir, options);
    const { out, files, archives, seconds } = report;
    const made = archives.map(({ name, bytes }) => `${name}, ${readableSize(bytes)}`).join('; ');
    reporter.print([`${dir}: ${counted(files, 'file')} packed into ${out}: ${made}, in ${seconds} s`]);
    return { output: report };
  },
});
