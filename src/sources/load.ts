/** Chooses the source, and falls back to local data where `auto` may. Loads the code of the chosen source only. */

import { encodeDataSet } from '../digest.ts';
import { UpstreamError } from '../errors.ts';
import type { ClientOptions } from '../http/client.ts';
import { normalise } from './normalise.ts';
import { readSnapshot, readSnapshotHistory } from './snapshot.ts';
import {
  DEFAULT_CSV_UPSTREAM,
  DEFAULT_REST_UPSTREAM,
  isAddress,
  type Progress,
  type SourceName,
  type SourceResult,
} from './source.ts';

export interface LoadOptions extends ClientOptions {
  readonly source: SourceName;
  /** An address or a folder; undefined for the source's own default. */
  readonly upstream: string | undefined;
  /** What the provenance calls the upstream instead of its address. */
  readonly label?: string | undefined;
  /** The bundled data set. */
  readonly dataFolder: string;
  /** Where the cache is kept; undefined for none. */
  readonly cacheFolder: string | undefined;
  /** The day that data fetched now is captured on, `YYYY-MM-DD`. */
  readonly today: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** `auto` asks once more at most before it falls back: whoever is offline should not have to wait. */
const AUTO_FIRST_RETRIES = 1;

/** Reads a complete data set, or rejects with what is wrong. */
export async function load(options: LoadOptions): Promise<SourceResult> {
  switch (options.source) {
    case 'auto':
      return loadAuto(options);
    case 'rest':
      return loadRest(options);
    case 'csv':
      return loadCsv(options);
    case 'snapshot':
      return loadSnapshot(options.upstream ?? options.dataFolder);
  }
}

/** The upstream, or the bundled data set where the upstream cannot be reached. A wrong answer is not a way out. */
async function loadAuto(options: LoadOptions): Promise<SourceResult> {
  try {
    return await loadRest(options, AUTO_FIRST_RETRIES);
  } catch (error) {
    if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
    const fallback = `${options.upstream ?? DEFAULT_REST_UPSTREAM} could not be reached`;
    return { ...loadSnapshot(options.dataFolder), fallback, cause: error };
  }
}

function loadSnapshot(folder: string): SourceResult {
  return { dataSet: readSnapshot(folder), history: readSnapshotHistory(folder), source: 'snapshot' };
}

async function loadRest(options: LoadOptions, firstRetries?: number): Promise<SourceResult> {
  const { readRest, restCacheVersion } = await import('./rest.ts');
  const { fetching } = await import('./fetching.ts');
  const upstream = options.upstream ?? DEFAULT_REST_UPSTREAM;
  return fetching(options, { upstream, version: restCacheVersion() }, async (fetcher) => {
    const { concurrency, onProgress, label, today } = options;
    const raw = await readRest({ upstream, fetcher, concurrency, firstRetries, onProgress });
    const dataSet = encodeDataSet(
      normalise(raw, { source: 'rest', upstream: label ?? upstream, captured: today }),
    );
    return { dataSet, source: 'rest', requests: fetcher.stats };
  });
}

async function loadCsv(options: LoadOptions): Promise<SourceResult> {
  const { fetchTables, readCsv, readTableFolder } = await import('./csv.ts');
  const { upstream = DEFAULT_CSV_UPSTREAM, label, today } = options;
  if (!isAddress(upstream)) {
    const { tables, captured } = readTableFolder(upstream);
    const dataSet = encodeDataSet(
      normalise(readCsv(tables), { source: 'csv', upstream: label ?? 'local files', captured }),
    );
    return { dataSet, source: 'csv' };
  }
  const { fetching } = await import('./fetching.ts');
  return fetching(options, { upstream, version: 'csv' }, async (fetcher) => {
    const tables = await fetchTables(upstream, { fetcher, onProgress: options.onProgress });
    const dataSet = encodeDataSet(
      normalise(readCsv(tables), { source: 'csv', upstream: label ?? upstream, captured: today }),
    );
    return { dataSet, source: 'csv', requests: fetcher.stats };
  });
}
