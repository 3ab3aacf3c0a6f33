import { openStorage } from '../built/archive.ts';
import type { SiteStorage } from '../built/storage.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { GamedataError, OutputError } from '../errors.ts';
import { attempt } from '../files.ts';
import { type FolderReport, verifySite } from '../verify/folder.ts';
import type { OnVerifyProgress } from '../verify/progress.ts';

/**
 * Verifies a site in a folder or an archive.
 *
 * If a build commits a change at the same time, the mixture of two sites looks like
 * damage. So if anything is wrong, we check that the manifest is still the one from the
 * beginning.
 *
 * @throws OutputError if there is no site, or if a build changes it
 */
export async function verifyStored(
  target: string,
  onProgress: OnVerifyProgress | undefined,
): Promise<FolderReport> {
  const storage = await openStorage(target);
  const manifestBefore = readManifestText(storage);

  function assertUnchanged(): void {
    if (readManifestText(storage) === manifestBefore) return;
    throw new OutputError('was changed by a build while it was verified', target, {
      hint: 'Verify it again when no build is running.',
    });
  }

  try {
    const report = verifySite(storage, onProgress);
    if (report.problems.length > 0) assertUnchanged();
    return report;
  } catch (error) {
    if (error instanceof GamedataError) assertUnchanged();
    throw error;
  }
}

/** Returns undefined if the manifest cannot be read. */
function readManifestText(storage: SiteStorage): string | undefined {
  return attempt(() => storage.read(MANIFEST_FILE).toString());
}
