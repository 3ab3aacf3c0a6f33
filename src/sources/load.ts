/** Chooses the source, with local data as the fallback of `auto`. Loads only the code of the chosen source. */

import { describeEdition, type Edition } from '../contract/edition.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { LAST_INDEXED_GENERATION, type Move, type Skipped } from '../contract/records.ts';
import type { DataSet, Warning } from '../dataset/data-set.ts';
import { digestDataSet } from '../dataset/digest.ts';
import { UpstreamError } from '../errors.ts';
import type { FetcherOptions } from '../http/fetcher.ts';
import { normalize } from './normalize.ts';
import type { RawRecords } from './raw.ts';
import type { RestRecords } from './rest.ts';
import { readSnapshot, readSnapshotHistory } from './snapshot.ts';
import {
  DEFAULT_CSV_UPSTREAM,
  DEFAULT_REST_UPSTREAM,
  isAddress,
  type Progress,
  type SourceName,
  type SourceResult,
} from './source.ts';

export interface LoadOptions extends FetcherOptions {
  readonly source: SourceName;
  /** A URL or a folder; undefined for the source's default. */
  readonly upstream: string | undefined;
  /** What the provenance calls the upstream instead of its URL. */
  readonly label?: string | undefined;
  /** The bundled data set. */
  readonly dataFolder: string;
  /** The capture date of data fetched now, `YYYY-MM-DD`. */
  readonly today: string;
  /** Publish a mixture of editions if the upstream has nothing else. */
  readonly allowMixed?: boolean | undefined;
  /** The records to leave out on purpose. */
  readonly skip?: Skipped | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Origin {
  readonly upstream: string;
  readonly edition?: Edition | null;
}

/** `auto` retries the first request only once before it falls back, so that nobody offline has to wait. */
const AUTO_FIRST_RETRIES = 1;

/** Reads a complete data set, or rejects with the reason. */
export async function load(options: LoadOptions): Promise<SourceResult> {
  switch (options.source) {
    case 'auto':
      return loadAuto(options);
    case 'rest':
      return loadRest(options);
    case 'csv':
      return loadCsv(options);
    case 'snapshot':
      return loadSnapshot(options.upstream ?? options.dataFolder, options.skip);
  }
}

/** The upstream, or the bundled data set if the upstream is unreachable. An invalid response is no reason to fall back. */
async function loadAuto(options: LoadOptions): Promise<SourceResult> {
  try {
    return await loadRest(options, AUTO_FIRST_RETRIES);
  } catch (error) {
    if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
    const loaded = loadSnapshot(options.dataFolder, options.skip);
    const reason = `${options.upstream ?? DEFAULT_REST_UPSTREAM} could not be reached`;
    return { ...loaded, fallback: `${reason}: built from ${describeAge(loaded.dataSet)}`, cause: error };
  }
}

/** How old data is, and what it lacks. */
function describeAge({ records, provenance }: DataSet): string {
  const generations = records()
    .move.map(({ json }) => (JSON.parse(json) as Move).generation)
    .sort((a, b) => a - b);
  const [first, last = 0] = [generations[0], generations.at(-1)];
  const missing = last < LAST_INDEXED_GENERATION ? '; the live upstream has more' : '';
  return `bundled data of ${provenance.captured}, generations ${first ?? 0} to ${last}${missing}`;
}

function loadSnapshot(folder: string, skip: Skipped | undefined): SourceResult {
  const whole = readSnapshot(folder);
  const dataSet = skip ? leaveOut(whole, skip) : whole;
  // The history leads to all of its records.
  const history = dataSet.digest === whole.digest ? readSnapshotHistory(folder) : undefined;
  return { dataSet, history, source: 'snapshot' };
}

function leaveOut(dataSet: DataSet, skip: Skipped): DataSet {
  const all = dataSet.records();
  const records = mapKinds((kind) => all[kind].filter(({ id }) => !skip[kind].includes(id)));
  return digestDataSet(records, {
    warnings: dataSet.warnings.filter(({ kind, id }) => !skip[kind].includes(id)),
    provenance: { ...dataSet.provenance, skipped: skip },
  });
}

async function loadRest(options: LoadOptions, firstRetries?: number): Promise<SourceResult> {
  const { readRest, REST_CACHE_VERSION } = await import('./rest.ts');
  const { withFetcher } = await import('../http/fetcher.ts');
  const { upstream = DEFAULT_REST_UPSTREAM, concurrency, allowMixed = false, skip, onProgress } = options;
  return withFetcher(options, { upstream, version: REST_CACHE_VERSION }, async (fetcher) => {
    const reading = { upstream, fetcher, concurrency, firstRetries, allowMixed, skip, onProgress };
    const { raw, edition, stale, isCached, notices } = await readRest(reading);
    const { dataSet, source } = resultOf('rest', raw, { ...options, upstream, edition });
    const warnings = [...dataSet.warnings, ...stale.map(warnOfStale)];
    return { dataSet: { ...dataSet, warnings }, source, requests: fetcher.stats, isCached, notices };
  });
}

async function loadCsv(options: LoadOptions): Promise<SourceResult> {
  const { readCsv } = await import('./csv.ts');
  const { upstream = DEFAULT_CSV_UPSTREAM, onProgress } = options;
  if (!isAddress(upstream)) {
    const { captureDate, readTables } = await import('./table-folder.ts');
    const today = captureDate(upstream);
    return resultOf('csv', readCsv(readTables(upstream)), { ...options, upstream: 'local files', today });
  }
  const { fetchTables } = await import('./fetch-tables.ts');
  const { withFetcher } = await import('../http/fetcher.ts');
  return withFetcher(options, { upstream, version: 'csv' }, async (fetcher) => {
    const texts = await fetchTables(upstream, { fetcher, onProgress });
    return { ...resultOf('csv', readCsv(texts), { ...options, upstream }), requests: fetcher.stats };
  });
}

const warnOfStale = ({ kind, id, slug, edition }: RestRecords['stale'][number]): Warning => {
  const message = `${slug}: of the older ${describeEdition(edition)}`;
  return { code: 'mixed-edition', kind, id, message };
};

function resultOf(
  source: 'rest' | 'csv',
  raw: RawRecords,
  { label, upstream, today, skip, edition = null }: Pick<LoadOptions, 'label' | 'today' | 'skip'> & Origin,
): SourceResult {
  const described = { source, upstream: label ?? upstream, captured: today, edition };
  const provenance = skip ? { ...described, skipped: skip } : described;
  const kept = <K extends Kind>(kind: K) => raw[kind].filter(({ id }) => !skip?.[kind].includes(id));
  const records = { move: kept('move'), item: kept('item') };
  return { dataSet: normalize(records, provenance), source };
}
