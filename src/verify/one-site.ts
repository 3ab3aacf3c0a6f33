import { isDeepStrictEqual } from 'node:util';
import { GamedataError } from '../errors.ts';

/**
 * Checks a site. If the site was replaced while it was checked, the result would describe
 * parts of two sites, so an error is thrown instead.
 *
 * @param name the folder or the URL of the site
 * @throws GamedataError if the manifest has changed
 */
export async function checkOneSite<T>(
  name: string,
  readManifest: () => Promise<Buffer | undefined>,
  check: () => Promise<T>,
): Promise<T> {
  const manifestBefore = await readManifest();

  async function assertUnchanged(): Promise<void> {
    const manifestAfter = await readManifest();
    if (isDeepStrictEqual(manifestBefore, manifestAfter)) return;
    throw new GamedataError('data', `${name}: was replaced while it was verified`, {
      hint: 'Verify it again.',
    });
  }

  let result: T;
  try {
    result = await check();
  } catch (error) {
    // The check may have failed only because files were replaced.
    await assertUnchanged();
    throw error;
  }
  await assertUnchanged();
  return result;
}
