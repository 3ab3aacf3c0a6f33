import { statSync } from 'node:fs';
import { isArchive, isUrl } from '../contract/paths.ts';
import type { GuardOptions } from '../dataset/guard.ts';
import type { UpdateOptions } from '../dataset/update.ts';
import { OutputError } from '../errors.ts';
import { attempt } from '../files.ts';
import { type OpenOptions, waitUntilStable } from '../publish/publish.ts';
import { isSameFolder } from '../publish/work-paths.ts';
import type { SourceContext } from '../sources/source.ts';

/**
 * Settings for reading the data, and limits for how much it may differ from the
 * published data.
 */
export interface SourceSettings
  extends SourceContext,
    UpdateOptions,
    GuardOptions,
    Pick<OpenOptions, 'takeLock'> {}

/**
 * Waits until no build is changing the folder from which a source reads. The output
 * folder is skipped here, because it is recovered later.
 *
 * @throws OutputError
 */
export async function waitForSource(
  settings: SourceSettings,
  out: string,
): Promise<void> {
  const { source, dataFolder } = settings;
  if (source === 'rest' || source === 'csv') return;
  const upstream = settings.upstream ?? dataFolder;
  await assertSettledFolder(source === 'auto' ? dataFolder : upstream, out);
}

/**
 * Waits until no build is changing a folder. Returns immediately for URLs and
 * archives.
 *
 * @throws OutputError if a build is still changing the folder after a second
 */
export async function assertSettledFolder(
  target: string,
  out?: string,
): Promise<void> {
  if (isUrl(target) || isArchive(target)) return;
  const status = attempt(() => statSync(target));
  if (status?.isDirectory() === false) {
    throw new OutputError(
      'is not the folder of a site or snapshot, or a .tar.gz archive',
      target,
    );
  }
  const isOutput = out !== undefined && isSameFolder(target, out);
  if (!isOutput) await waitUntilStable(target);
}
