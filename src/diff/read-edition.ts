/** Reads what is to be compared: a snapshot, a built site or a deployment. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Edition } from '../changes/compare.ts';
import { mapKinds } from '../contract/kinds.ts';
import { META_FILE, metaSchema } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { digestRecords } from '../digest.ts';
import { DataError, OutputError, UpstreamError } from '../errors.ts';
import { healAbandoned } from '../output/publish.ts';
import { readSiteRecords } from '../output/site-records.ts';
import { PROVENANCE_FILE, readSnapshot } from '../sources/snapshot.ts';
import { isAddress } from '../sources/source.ts';
import { crawl } from '../verify/crawl.ts';
import { createProbe, type Probe } from '../verify/probe.ts';

export interface ReadOptions {
  /** The most requests at one time. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a data set by a folder or an address.
 *
 * @throws OutputError where a folder holds neither a snapshot nor a site
 * @throws UpstreamError where an address gives no answer
 * @throws DataError where what is there is not complete and right
 */
export async function readEdition(target: string, options: ReadOptions): Promise<Edition> {
  if (isAddress(target)) return readDeployment(target.replace(/\/+$/, ''), options);
  healAbandoned(target);
  if (existsSync(path.join(target, PROVENANCE_FILE))) return readSnapshotFolder(target);
  if (existsSync(path.join(target, META_FILE))) return readSiteFolder(target);
  throw new OutputError(
    `holds neither ${PROVENANCE_FILE} nor ${META_FILE}: expected a snapshot or a built site`,
    target,
  );
}

function readSnapshotFolder(folder: string): Edition {
  const { records, provenance } = readSnapshot(folder);
  return editionOf(records, provenance.captured);
}

function readSiteFolder(folder: string): Edition {
  const file = path.join(folder, META_FILE);
  const meta = parse(metaSchema, parseJson(readFileSync(file, 'utf8')), { record: file });
  return editionOf(readSiteRecords(folder, meta), meta.captured);
}

/** Follows the lists. What links begin with and when the data was captured, a site of ours says itself. */
async function readDeployment(address: string, options: ReadOptions): Promise<Edition> {
  const probe = createProbe(address, options);
  const stop = (): void => void probe.close();
  options.signal?.addEventListener('abort', stop);
  try {
    const meta = metaSchema.safeParse((await probe.ask({ path: `/${META_FILE}` })).json).data;
    const linkBase = { baseUrl: meta?.base_url ?? address, links: meta?.links ?? 'query' } as const;
    return editionOf(await readLists(probe, linkBase, address), meta?.captured ?? null);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await probe.close();
  }
}

async function readLists(
  probe: Probe,
  linkBase: Parameters<typeof crawl>[1],
  address: string,
): Promise<Edition['records']> {
  const lists = await crawl(probe, linkBase, (clause, { question, status }, problem) => {
    if (clause === 'root') return;
    if (status === 200) throw new DataError(problem, { record: `${address}: ${question}` });
    throw new UpstreamError(problem, {
      method: 'GET',
      url: address + question.slice('GET '.length),
      status,
      attempts: 1,
      unreachable: false,
    });
  });
  return mapKinds((kind) => lists[kind].records);
}

function editionOf(records: Edition['records'], captured: string | null): Edition {
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured, counts, records };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
