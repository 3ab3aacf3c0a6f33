/** Reads a data set from wherever it is: a snapshot's folder, a built site's folder, or a deployment. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { mapKinds } from '../contract/kinds.ts';
import { metaReader } from '../contract/meta.ts';
import { META_FILE } from '../contract/paths.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { digestRecords } from '../dataset/digest.ts';
import { DataError, OutputError, UpstreamError } from '../errors.ts';
import { abortable } from '../http/abortable.ts';
import { createProbe, type Probe } from '../http/probe.ts';
import { crawl } from './crawl.ts';
import { readDescription, readSiteRecords } from './site-folder.ts';
import { PROVENANCE_FILE, readSnapshot } from './snapshot.ts';
import { isAddress } from './source.ts';

export interface ReadOptions {
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
}

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
  return { digest, captured, counts, edition, records: records() };
}

function readSiteFolder(folder: string): SummarizedRecords {
  const meta = readDescription(folder, META_FILE, metaReader);
  return summarize(readSiteRecords(folder, meta), meta);
}

/** Follows the lists. A site of ours says itself what its links start with, and when its data was captured. */
const readDeployment = (address: string, options: ReadOptions): Promise<SummarizedRecords> =>
  abortable(createProbe(address, options), options.signal, async (probe) => {
    const meta = metaReader.safeParse((await probe.send({ path: `/${META_FILE}` })).json).data;
    const linkBase = { baseUrl: meta?.base_url ?? address, links: meta?.links ?? 'query' } as const;
    return summarize(await readLists(probe, linkBase, address), meta ?? { captured: null, edition: null });
  });

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
