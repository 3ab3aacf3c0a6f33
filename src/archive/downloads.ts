/** The archives that a site offers of itself. */

import type { DerivedFile, ListedFile, SiteFile } from '../contract/site.ts';
import { ARCHIVE_NAMES, archiveFile, archiveFiles, type Content } from './entries.ts';
import type { Archives } from './pack.ts';

/**
 * Yields the archives of a site. They are packed, from files made once more, only where one of those has changed.
 *
 * @param files makes every file of the site but the manifest and these
 */
export function* ownArchives(
  files: () => Iterable<SiteFile | DerivedFile | ListedFile>,
  options: { captured: string; generator: string },
): Generator<DerivedFile> {
  let packed: Promise<Archives> | undefined;
  async function pack(): Promise<Archives> {
    const contents: Content[] = [];
    for (const file of files()) {
      // A copy: bytes that are compressed elsewhere are taken away.
      const body = Buffer.from('make' in file ? await file.make() : file.body);
      contents.push({ path: file.path, body });
    }
    // Most builds need no compressor.
    const { packSite } = await import('./pack.ts');
    return packSite(contents, options);
  }
  for (const name of ARCHIVE_NAMES) {
    yield {
      path: archiveFile(name),
      of: { except: archiveFiles },
      async make() {
        packed ??= pack();
        return (await packed)[name];
      },
    };
  }
}
