import path from 'node:path';
import type { GuardOptions } from '../data/guard.ts';
import { GamedataError } from '../errors.ts';
import { isInside } from '../files.ts';
import type { SourceContext } from '../upstream/source.ts';

/**
 * Settings for reading the data, and limits for how much it may differ from the
 * published data.
 */
export interface SourceSettings extends SourceContext, GuardOptions {}

/**
 * Rejects a cache inside the output folder, because it would be a file that no manifest
 * lists.
 *
 * @throws GamedataError
 */
export function assertCacheOutside(out: string, cache: string | undefined): void {
  if (cache === undefined) return;
  const cacheFolder = path.resolve(cache);
  const outputFolder = path.resolve(out);
  if (cacheFolder !== outputFolder && !isInside(outputFolder, cacheFolder)) return;
  throw new GamedataError(
    'usage',
    `--cache: got ${JSON.stringify(cache)}, expected a folder outside ${JSON.stringify(out)}`,
  );
}
