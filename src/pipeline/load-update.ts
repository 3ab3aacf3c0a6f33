import { checkUpdate } from '../dataset/guard.ts';
import { type Previous, planUpdate, type Update } from '../dataset/update.ts';
import { loadSource } from '../sources/index.ts';
import type { SourceResult } from '../upstream/source.ts';
import type { SourceSettings } from './source-settings.ts';

export interface LoadedUpdate {
  readonly loaded: SourceResult;
  readonly update: Update;
}

/**
 * Reads the new data set, and checks that it may replace the previous one.
 *
 * @throws UpstreamError, DataError, GuardError or OutputError
 */
export async function loadUpdate(
  source: SourceSettings,
  previous: Previous | undefined,
): Promise<LoadedUpdate> {
  const readPublished = () => previous?.records();
  const loaded = await loadSource({ ...source, readPublished });
  const update = planUpdate(loaded, previous, source);
  checkUpdate(update, source);
  return { loaded, update };
}
