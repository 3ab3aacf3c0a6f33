/** Reads a data set from wherever it is: a snapshot's folder, a built site's folder, or a deployment. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { mapKinds } from '../contract/kinds.ts';
import { type Meta, metaReader } from '../contract/meta.ts';
import { META_FILE } from '../contract/paths.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { digestRecords } from '../dataset/digest.ts';
import { DataError, OutputError, UpstreamError } from '../errors.ts';
import { abortable } from '../http/connections.ts';
import type { FetcherOptions } from '../http/fetcher.ts';
import { createProbe, type Probe } from '../http/probe.ts';
import { crawl } from './crawl.ts';
import { readDescription, readSiteRecords } from './site-folder.ts';
import { PROVENANCE_FILE, readSnapshot } from './snapshot.ts';
import { isAddress } from './source.ts';

export type ReadOptions = Pick<FetcherOptions, 'concurrency' | 'signal'>;

/**
 * Reads a data set by a folder or a URL.
 *
 * @throws OutputError if a folder contains neither a snapshot nor a site
 * @throws UpstreamError if a deployment does not respond
 * @throws DataError if the data is incomplete or invalid
 */
export async function readDataSet(target: string, options: ReadOptions): Promise<SummarizedRecords> {
  if (isAddress(target)) return readDeployment(target.replace(/\/+$/, ''), options);
  if (existsSync(path.join(target, PROVENANCE_FILE))) return readSnapshotFolder(target);
  if (existsSync(path.join(target, META_FILE))) return readSiteFolder(target);
  throw new OutputError(
    `contains neither ${PROVENANCE_FILE} nor ${META_FILE}: expected a snapshot or a built site`,
    target,
  );
}

function readSnapshotFolder(folder: string): SummarizedRecords {
  const { digest, counts, provenance, records } = readSnapshot(folder);
  const { captured, edition } = provenance;
  return { digest, captured, counts, edition, records };
}

function readSiteFolder(folder: string): SummarizedRecords {
  const meta = readDescription(folder, META_FILE, metaReader);
  return summarize(readSiteRecords(folder, meta), meta);
}

/** How often a deployment may be replaced while it is read. */
const MAX_DEPLOYS = 3;

/** A deployment of one site: if it is replaced by another meanwhile, reading begins again. */
const readDeployment = (address: string, options: ReadOptions): Promise<SummarizedRecords> =>
  abortable(createProbe(address, options), options.signal, async (probe) => {
    let meta = await readMeta(probe);
    for (let deploys = 0; ; deploys++) {
      const read = await readSite(probe, address, meta).catch((error: unknown) => ({ error }));
      if (!('error' in read)) return read;
      const now = await readMeta(probe);
      if (now?.digest === meta?.digest || deploys === MAX_DEPLOYS) throw read.error;
      meta = now;
    }
  });

const readMeta = async (probe: Probe): Promise<Meta | undefined> =>
  metaReader.safeParse((await probe.send({ path: `/${META_FILE}` })).json).data;

/** Follows the lists. A site of ours says itself what its links start with, and which data it has. */
async function readSite(probe: Probe, address: string, meta: Meta | undefined): Promise<SummarizedRecords> {
  const linkBase = { baseUrl: meta?.base_url ?? address, links: meta?.links ?? 'query' } as const;
  const records = await readLists(probe, linkBase, address);
  const summary = summarize(records, meta ?? { captured: null, edition: null });
  if (!meta || summary.digest === meta.digest) return summary;
  throw new DataError(
    `got ${summary.digest}: expected ${meta.digest}, as in ${META_FILE}`,
    { record: address, field: 'digest' },
    { hint: 'It may be served partly from caches, or be replaced just now: try again later.' },
  );
}

async function readLists(
  probe: Probe,
  linkBase: Parameters<typeof crawl>[1],
  address: string,
): Promise<SummarizedRecords['records']> {
  const lists = await crawl(probe, linkBase, (guarantee, { request, status }, problem) => {
    if (guarantee === 'root') return;
    if (status === 200) throw new DataError(problem, { record: `${address}: ${request}` });
    const url = address + request.slice('GET '.length);
    throw new UpstreamError(problem, { method: 'GET', url, status, attempts: 1, unreachable: false });
  });
  return mapKinds((kind) => lists[kind].records);
}

function summarize(
  records: SummarizedRecords['records'],
  { captured, edition }: Pick<SummarizedRecords, 'captured' | 'edition'>,
): SummarizedRecords {
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured, counts, edition, records };
}
