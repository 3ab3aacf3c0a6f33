/** Chooses the source, with local data as the fallback of `auto`. */

import type { Edition } from '../contract/edition.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { META_FILE, recordFile } from '../contract/paths.ts';
import { LAST_INDEXED_GENERATION, recordSchemas, type Skipped } from '../contract/records.ts';
import type { DataSet, Provenance, Records } from '../dataset/data-set.ts';
import { digestDataSet } from '../dataset/digest.ts';
import { selectNames } from '../dataset/names.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { type FetcherOptions, type FetcherStats, withFetcher } from '../http/fetcher.ts';
import { readCsv } from './csv.ts';
import { normalize, refuseUnknownSkips } from './normalize.ts';
import { REST_CACHE_VERSION, readRest } from './rest.ts';
import { archivePlace, isArchive } from './site/archive.ts';
import { folderPlace, type Place } from './site/place.ts';
import { openSite, readListed, type Site } from './site/read.ts';
import { readSnapshot, readSnapshotFormer, readSnapshotHistory } from './snapshot.ts';
import {
  DEFAULT_CSV_UPSTREAM,
  DEFAULT_REST_UPSTREAM,
  isAddress,
  type Progress,
  type SourceName,
  type SourceResult,
} from './source.ts';
import { fetchTables, readTables } from './tables.ts';

export interface LoadOptions extends FetcherOptions {
  readonly source: SourceName;
  /** A URL or a folder; undefined for the source's default. */
  readonly upstream: string | undefined;
  /** The bundled data set. */
  readonly dataFolder: string;
  /** The capture date of data fetched now, `YYYY-MM-DD`. */
  readonly today: string;
  /** The records to leave out on purpose. */
  readonly skip?: Skipped | undefined;
  /** Whether the data set has the names in every language. Default true. */
  readonly hasNames?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
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
      return loadSnapshot(options.upstream ?? options.dataFolder, options);
    case 'site':
      return loadSite(options);
  }
}

/** The upstream, or the bundled data set if the upstream is unreachable. An invalid response is no reason to fall back. */
async function loadAuto(options: LoadOptions): Promise<SourceResult> {
  try {
    return await loadRest(options, AUTO_FIRST_RETRIES);
  } catch (error) {
    if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
    const loaded = loadSnapshot(options.dataFolder, options);
    const reason = `${options.upstream ?? DEFAULT_REST_UPSTREAM} could not be reached`;
    return { ...loaded, fallback: `${reason}: built from ${describeAge(loaded.dataSet)}`, cause: error };
  }
}

/** How old data is, and what it lacks. */
function describeAge({ records, provenance }: DataSet): string {
  const generations = kindNames
    .flatMap((kind) => records[kind])
    .flatMap((record) => ('generation' in record ? [record.generation] : []))
    .sort((a, b) => a - b);
  const [first = 0, last = 0] = [generations[0], generations.at(-1)];
  const missing = last < LAST_INDEXED_GENERATION ? '; the live upstream has more' : '';
  return `bundled data of ${provenance.captured}, generations ${first} to ${last}${missing}`;
}

function loadSnapshot(folder: string, options: LoadOptions): SourceResult {
  const whole = readSnapshot(folder, options);
  const dataSet = select(whole, options);
  const former = readSnapshotFormer(folder);
  // The history leads to all of its records.
  const history = dataSet.digest === whole.digest ? readSnapshotHistory(folder) : undefined;
  return { dataSet, history, former, source: 'snapshot' };
}

/** A built site in a folder, an archive or a deployment: its records, names, former slugs and history, and nothing else of it. */
async function loadSite(options: LoadOptions): Promise<SourceResult> {
  const { upstream = '' } = options;
  const [place, requests] = await findSite(upstream, options);
  const site = openSite(place);
  readListed(place, site.entries, META_FILE);
  const { source, counts, digest, captured, edition, skipped } = site.meta;
  const records = validated(site);
  const names = options.hasNames === false ? [] : site.names();
  const provenance = { source, upstream: site.meta.upstream, captured, edition, ...(skipped && { skipped }) };
  const whole: DataSet = { warnings: [], provenance, counts, digest, records, names };
  const dataSet = select(whole, options);
  const history = dataSet.digest === digest ? site.history() : undefined;
  return { dataSet, history, former: site.former(() => records), site, source, requests };
}

/** A copy may come from anybody: its records have to be what a build would make. */
function validated({ place, records: read }: Site): Records {
  const found = read();
  return mapKinds((kind) =>
    found[kind].map((value, at) => {
      const record = place.at(recordFile(kind, value.slug));
      const valid = parse(recordSchemas[kind], value, { record });
      if (valid.id > (found[kind][at - 1]?.id ?? 0)) return valid;
      throw new DataError(`got ${valid.id}: expected ascending ids`, { record, field: 'id' });
    }),
  );
}

async function findSite(upstream: string, options: LoadOptions): Promise<[Place, FetcherStats?]> {
  if (!isAddress(upstream))
    return [isArchive(upstream) ? await archivePlace(upstream) : folderPlace(upstream)];
  const { createClient } = await import('../http/client.ts');
  const { abortable } = await import('../http/connections.ts');
  const { deploymentPlace, isSource } = await import('./site/deployment.ts');
  return abortable(createClient(options), options.signal, async (client) => [
    await deploymentPlace(client, upstream, isSource),
    { ...client.stats, cacheHits: 0 },
  ]);
}

/** As much of local data as is wanted. */
function select(dataSet: DataSet, { source, skip }: LoadOptions): DataSet {
  const { skipped } = dataSet.provenance;
  const known = (kind: Kind) => [...dataSet.records[kind], ...(skipped?.[kind] ?? []).map((id) => ({ id }))];
  // A fallback may lack what the upstream has.
  if (source !== 'auto') refuseUnknownSkips(skip, mapKinds(known));
  return skip ? leaveOut(dataSet, skip) : dataSet;
}

function leaveOut(dataSet: DataSet, skip: Skipped): DataSet {
  const records = mapKinds((kind) => dataSet.records[kind].filter(({ id }) => !skip[kind].includes(id)));
  const former = dataSet.provenance.skipped;
  const skipped = mapKinds((kind) =>
    [...new Set([...(former?.[kind] ?? []), ...skip[kind]])].sort((a, b) => a - b),
  );
  return digestDataSet(records, {
    warnings: dataSet.warnings.filter(({ kind, id }) => !skip[kind].includes(id)),
    provenance: { ...dataSet.provenance, skipped },
    names: selectNames(dataSet.names, records),
  });
}

async function loadRest(options: LoadOptions, firstRetries?: number): Promise<SourceResult> {
  const { upstream = DEFAULT_REST_UPSTREAM } = options;
  return withFetcher(options, { upstream, version: REST_CACHE_VERSION }, async (fetcher) => {
    const { raw, edition, ...about } = await readRest({ ...options, upstream, fetcher, firstRetries });
    const dataSet = normalize(raw, provenanceOf('rest', upstream, { ...options, edition }), options.hasNames);
    return { dataSet, source: 'rest', requests: fetcher.stats, ...about };
  });
}

async function loadCsv(options: LoadOptions): Promise<SourceResult> {
  const { upstream = DEFAULT_CSV_UPSTREAM } = options;
  if (!isAddress(upstream)) {
    const { texts, captured } = readTables(upstream);
    const provenance = provenanceOf('csv', 'local files', { ...options, today: captured });
    const raw = readCsv(texts, options.skip);
    return { dataSet: normalize(raw, provenance, options.hasNames), source: 'csv' };
  }
  return withFetcher(options, { upstream, version: 'csv' }, async (fetcher) => {
    const raw = readCsv(await fetchTables(upstream, { ...options, fetcher }), options.skip);
    const dataSet = normalize(raw, provenanceOf('csv', upstream, options), options.hasNames);
    return { dataSet, source: 'csv', requests: fetcher.stats };
  });
}

const provenanceOf = (
  source: Provenance['source'],
  upstream: string,
  { today, skip, edition = null }: Pick<LoadOptions, 'today' | 'skip'> & { edition?: Edition | null },
): Provenance => ({ source, upstream, captured: today, edition, ...(skip && { skipped: skip }) });
