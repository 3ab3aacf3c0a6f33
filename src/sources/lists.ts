/** Reads the records of a deployment that has no manifest, such as the reference implementation of the API, from its lists. */

import { mapKinds } from '../contract/kinds.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { digestRecords, removeUrl } from '../dataset/data-set.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { closeOnAbort } from '../http/client.ts';
import type { FetcherOptions } from '../http/fetcher.ts';
import { createProbe } from '../http/probe.ts';
import { crawl } from './crawl.ts';

/** @throws UpstreamError or DataError for the first page that is not as in the contract */
export async function readLists(
  address: string,
  options: Pick<FetcherOptions, 'concurrency' | 'signal'>,
): Promise<SummarizedRecords> {
  const linkBase = { baseUrl: address, links: 'query' } as const;
  const lists = await closeOnAbort(createProbe(address, options), options.signal, (probe) =>
    crawl(probe, linkBase, ({ request, status }, problem) => {
      if (status === 200) throw new DataError(problem, { record: `${address}: ${request}` });
      const url = address + request.slice('GET '.length);
      throw new UpstreamError(problem, { method: 'GET', url, status, attempts: 1, unreachable: false });
    }),
  );
  const records = mapKinds((kind) => lists[kind].map(removeUrl));
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured: null, counts, edition: null, records };
}
