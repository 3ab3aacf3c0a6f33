import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { type LinkBase, listPageFile, listUrl } from '../contract/paths.ts';
import { MAX_RECORDS } from '../contract/records.ts';
import { pageSchemas, type ServedRecord } from '../contract/served.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import { digestRecords, removeUrl, type ServedRecords } from '../dataset/data-set.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { closeOnAbort } from '../http/client.ts';
import type { FetcherOptions } from '../http/fetcher.ts';
import { createProbe, type Probe, type ProbeResponse } from '../http/probe.ts';

type Fail = (response: ProbeResponse, problem: string) => void;

/** Maximum total length of a list's pages in characters, because the list's records are kept in memory. */
const MAX_LENGTH = 64 * 1024 * 1024;

/**
 * Reads the records of a deployment without a manifest, such as the reference implementation of the API.
 *
 * @throws UpstreamError or DataError for the first page that violates the contract
 */
export async function readLists(
  address: string,
  options: Pick<FetcherOptions, 'concurrency' | 'signal'>,
): Promise<SummarizedRecords> {
  const linkBase = { baseUrl: address, links: 'query' } as const;
  const lists = await closeOnAbort(createProbe(address, options), options.signal, (probe) =>
    crawl(probe, linkBase, ({ request, status }, problem) => {
      if (status === 200) throw new DataError(problem, { record: `${address}: ${request}` });
      const url = address + request.slice('GET '.length);
      throw new UpstreamError(problem, {
        method: 'GET',
        url,
        status,
        attempts: 1,
        unreachable: false,
      });
    }),
  );
  const records = mapKinds((kind) => lists[kind].map(removeUrl));
  const counts = mapKinds((kind) => records[kind].length);
  return { digest: digestRecords(records), captured: null, counts, edition: null, records };
}

export async function crawl(probe: Probe, linkBase: LinkBase, fail: Fail): Promise<ServedRecords> {
  const lists = mapKinds((): ServedRecord[] => []);
  const problems = await Promise.all(
    kindNames.map((kind) => crawlList(probe, linkBase, kind, lists[kind])),
  );
  // Lists are crawled concurrently, but their problems are reported in a fixed order.
  for (const problem of problems) if (problem) fail(...problem);
  return lists;
}

/** Adds records to a list up to the first problem, which is returned. */
async function crawlList(probe: Probe, linkBase: LinkBase, kind: Kind, records: ServedRecord[]) {
  const slugs = new Set<string>();
  const maxBytes = getMaxBytes(listPageFile(kind, 0));
  let length = 0;
  for (let offset = 0, count = 1; offset < count; offset += PAGE_SIZE) {
    const window = offset === 0 ? undefined : { limit: PAGE_SIZE, offset };
    const path = listUrl(linkBase, kind, window).slice(linkBase.baseUrl.length);
    const response = await probe.send({ path, maxBytes });
    length += response.text.length;
    try {
      assert(length <= MAX_LENGTH, `got list pages of more than ${MAX_LENGTH} characters in total`);
      const page = readPage(kind, response);
      if (offset === 0) count = page.count;
      assert(
        page.count === count,
        `got count ${page.count}, expected ${count}, as on the first page`,
      );
      const size = Math.min(PAGE_SIZE, count - offset);
      assert(page.results.length === size, `got ${page.results.length} results, expected ${size}`);
      for (const record of page.results) {
        const { id: last = 0 } = records.at(-1) ?? {};
        assert(record.id > last, `got id ${record.id} after ${last}, expected ascending ids`);
        assert(!slugs.has(record.slug), `got slug ${record.slug} twice`);
        slugs.add(record.slug);
        records.push(record);
      }
    } catch (error) {
      if (error instanceof DataError) return [response, error.message] as const;
      throw error;
    }
  }
  return undefined;
}

function readPage(kind: Kind, { status, json, text }: ProbeResponse) {
  assert(
    status === 200 && json !== undefined,
    `got status ${status}, ${formatValue(text)}, expected a list page`,
  );
  const page = parse(pageSchemas[kind], json, {});
  assert(page.count <= MAX_RECORDS, `got count ${page.count}, expected at most ${MAX_RECORDS}`);
  return page;
}

function assert(isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new DataError(problem, {});
}
