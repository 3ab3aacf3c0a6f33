import { MANIFEST_FILE } from '../contract/paths.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { UpstreamError } from '../errors.ts';
import { loadSource } from '../sources/index.ts';
import type { SourceSettings } from './source-settings.ts';

/**
 * Reads the records of a snapshot, a site or a deployment, which any version of
 * gamedata may have created. If a URL has no manifest, it may be an API that
 * gamedata did not build, so we read its list pages.
 *
 * @throws OutputError, UpstreamError or DataError if the records cannot be read
 * completely
 */
export async function loadRecords(
  settings: SourceSettings,
): Promise<SummarizedRecords> {
  const { upstream = settings.dataFolder } = settings;
  try {
    const { dataSet } = await loadSource(settings);
    return { ...dataSet, ...dataSet.provenance };
  } catch (error) {
    const isWithoutManifest =
      error instanceof UpstreamError &&
      error.status === 404 &&
      error.request === `GET ${upstream}/${MANIFEST_FILE}`;
    if (!isWithoutManifest) throw error;
    // Most data sets are in local folders, so undici is loaded as late as possible.
    const { readLists } = await import('../sources/crawl.ts');
    return readLists(upstream, settings);
  }
}
