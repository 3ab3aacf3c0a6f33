/** Reads a data set from wherever it is: a snapshot, or a built site in a folder, an archive or a deployment. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { mapKinds } from '../contract/kinds.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { unserved } from '../dataset/data-set.ts';
import { digestRecords } from '../dataset/digest.ts';
import { DataError, OutputError, UpstreamError } from '../errors.ts';
import { abortable, createClient } from '../http/client.ts';
import type { FetcherOptions } from '../http/fetcher.ts';
import { createProbe, type Probe } from '../http/probe.ts';
import { crawl } from './crawl.ts';
import { deploymentPlace, hasRecords } from './site/deployment.ts';
import { isArchive, localPlace, type Place } from './site/place.ts';
import { openSite } from './site/read.ts';
import { PROVENANCE_FILE, readSnapshot } from './snapshot.ts';
import { isAddress } from './source.ts';

export type ReadOptions = Pick<FetcherOptions, 'concurrency' | 'signal'>;

/** @throws OutputError if a folder or an archive contains neither a snapshot nor a site, UpstreamError or DataError */
export async function readDataSet(target: string, options: ReadOptions): Promise<SummarizedRecords> {
  if (isAddress(target)) return readDeployment(target.replace(/\/+$/, ''), options);
  const has = (file: string): boolean => existsSync(path.join(target, file));
  if (has(PROVENANCE_FILE)) {
    const { provenance, ...data } = readSnapshot(target, { hasNames: false });
    return { ...data, ...provenance };
  }
  if (isArchive(target) || has(META_FILE)) return readSite(await localPlace(target));
  throw new OutputError(
    `contains neither ${PROVENANCE_FILE} nor ${META_FILE}: expected a snapshot or a built site`,
    target,
  );
}

function readSite(place: Place): SummarizedRecords {
  const { meta, records } = openSite(place);
  return { ...meta, records: records() };
}

/** A deployment that lists no files may be anybody's service with the same interface: its lists are followed. */
async function readDeployment(address: string, options: ReadOptions): Promise<SummarizedRecords> {
  const client = createClient({ ...options, retries: 1 });
  const place = await abortable(client, options.signal, () =>
    deploymentPlace(client, address, { isWanted: hasRecords }).catch((error: unknown) => {
      const isMissing = error instanceof UpstreamError && error.request.status === 404;
      if (error instanceof OutputError || (isMissing && error.request.url.endsWith(MANIFEST_FILE))) return;
      throw error;
    }),
  );
  if (place) return readSite(place);
  return abortable(createProbe(address, options), options.signal, (probe) => readLists(probe, address));
}

async function readLists(probe: Probe, address: string): Promise<SummarizedRecords> {
  const linkBase = { baseUrl: address, links: 'query' } as const;
  const lists = await crawl(probe, linkBase, ({ request, status }, problem) => {
    if (status === 200) throw new DataError(problem, { record: `${address}: ${request}` });
    const url = address + request.slice('GET '.length);
    throw new UpstreamError(problem, { method: 'GET', url, status, attempts: 1, unreachable: false });
  });
  const records = mapKinds((kind) => lists[kind].map(unserved));
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured: null, counts, edition: null, records };
}
