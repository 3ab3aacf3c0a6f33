/** The archives of a site that the site itself offers for download. */

import { ARCHIVE_NAMES, archiveFile } from '../../contract/paths.ts';
import type { AnyFile, MadeFile } from '../../contract/site-file.ts';
import { type Archives, packSite } from './pack.ts';

/** @param files every file of the site except the manifest and the archives */
export function siteArchives(
  files: readonly AnyFile[],
  options: { captured: string; generator: string },
): MadeFile[] {
  let packed: Promise<Archives> | undefined;
  async function pack(): Promise<Archives> {
    const contents = files.map(async (file) => {
      const body = 'make' in file ? await file.make() : file.body;
      return { path: file.path, body: typeof body === 'string' ? Buffer.from(body) : body };
    });
    return packSite(await Promise.all(contents), options);
  }
  return ARCHIVE_NAMES.map((name) => ({
    path: archiveFile(name),
    async make() {
      packed ??= pack();
      return (await packed)[name];
    },
  }));
}
