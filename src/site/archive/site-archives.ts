/** The archives of a site that the site itself offers for download. */

import { ARCHIVE_NAMES, archiveFile } from '../../contract/paths.ts';
import type { AnyFile, MadeFile } from '../../contract/site-file.ts';
import type { Content } from './entries.ts';
import type { Archives } from './pack.ts';

/**
 * Yields the archives of a site, packed from files that are made a second time.
 *
 * @param files makes every file of the site except the manifest and the archives
 */
export function* siteArchives(
  files: () => Iterable<AnyFile>,
  options: { captured: string; generator: string },
): Generator<MadeFile> {
  let packed: Promise<Archives> | undefined;
  async function pack(): Promise<Archives> {
    const contents: Content[] = [];
    for (const file of files()) {
      const made = 'make' in file ? await file.make() : file.body;
      contents.push({ path: file.path, body: typeof made === 'string' ? Buffer.from(made) : made });
    }
    // Most builds pack nothing, and load no compressor.
    const { packSite } = await import('./pack.ts');
    return packSite(contents, options);
  }
  for (const name of ARCHIVE_NAMES) {
    yield {
      path: archiveFile(name),
      async make() {
        packed ??= pack();
        return (await packed)[name];
      },
    };
  }
}
