import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import { formatValue, parse } from '../contract/parse.ts';
import { type LinkBase, listPageFile, listUrl } from '../contract/paths.ts';
import { MAX_RECORDS } from '../contract/records.ts';
import { pageSchemas, type ServedRecord } from '../contract/served.ts';
import type { SummarizedRecords } from '../dataset/compare.ts';
import {
  digestRecords,
  removeUrl,
  type ServedRecords,
} from '../dataset/data-set.ts';
import { DataError, UpstreamError } from '../errors.ts';
import { closeOnAbort } from '../upstream/client.ts';
import { createProbe, type Probe, type ProbeResponse } from '../upstream/probe.ts';
import type { SourceContext } from '../upstream/source.ts';

/** A response that violates the contract, together with the reason. */
interface ListProblem {
  readonly response: ProbeResponse;
  readonly problem: string;
}

type Fail = (response: ProbeResponse, problem: string) => void;

/**
 * The maximum length of all pages of a list, in characters. There is a limit,
 * because the records of the list stay in memory.
 */
const MAX_LENGTH = 64 * 1024 * 1024;

/**
 * Reads the records of a deployment that has no manifest, such as the reference
 * implementation of the API.
 *
 * @throws UpstreamError or DataError for the first page that violates the contract
 */
export async function readLists(
  address: string,
  options: Pick<SourceContext, 'concurrency' | 'signal'>,
): Promise<SummarizedRecords> {
  const linkBase: LinkBase = { baseUrl: address, links: 'query' };
  const fail: Fail = (response, problem) => {
    throw createListError(address, response, problem);
  };
  const probe = createProbe(address, options);
  const lists = await closeOnAbort(probe, options.signal, () =>
    crawl(probe, linkBase, fail),
  );
  const records = mapKinds((kind) => lists[kind].map(removeUrl));
  const counts = mapKinds((kind) => records[kind].length);
  return {
    digest: digestRecords(records),
    captured: null,
    counts,
    edition: null,
    records,
  };
}

function createListError(
  address: string,
  { request, status }: ProbeResponse,
  problem: string,
): DataError | UpstreamError {
  if (status === 200) {
    return new DataError(problem, { record: `${address}: ${request}` });
  }
  const url = address + request.slice('GET '.length);
  return new UpstreamError(problem, { request: `GET ${url}`, status });
}

/**
 * Follows the list of each kind from page to page. If a page violates the contract,
 * the list ends there, and `fail` is called.
 */
export async function crawl(
  probe: Probe,
  linkBase: LinkBase,
  fail: Fail,
): Promise<ServedRecords> {
  const lists = mapKinds((): ServedRecord[] => []);
  const crawls = kindNames.map((kind) =>
    crawlList(probe, linkBase, kind, lists[kind]),
  );
  const problems = await Promise.all(crawls);
  // The lists are read concurrently, but we report their problems in a fixed order.
  for (const found of problems) {
    if (found) fail(found.response, found.problem);
  }
  return lists;
}

/**
 * Reads a list page by page and adds its records to the array. Stops at the first
 * problem, and returns it.
 */
async function crawlList(
  probe: Probe,
  linkBase: LinkBase,
  kind: Kind,
  records: ServedRecord[],
): Promise<ListProblem | undefined> {
  const maxBytes = getMaxBytes(listPageFile(kind, 0));
  const knownSlugs = new Set<string>();
  let length = 0;
  // The first page replaces this with the real count.
  let count = 1;
  for (let offset = 0; offset < count; offset += PAGE_SIZE) {
    const pageRange = offset === 0 ? undefined : { limit: PAGE_SIZE, offset };
    const url = listUrl(linkBase, kind, pageRange);
    const path = url.slice(linkBase.baseUrl.length);
    const response = await probe.send({ path, maxBytes });
    length += response.text.length;
    try {
      assert(
        length <= MAX_LENGTH,
        `got list pages of more than ${MAX_LENGTH} characters in total`,
      );
      const page = readPage(kind, response);
      if (offset === 0) count = page.count;
      assertCounts(page, offset, count);
      for (const record of page.results) {
        const lastId = records.at(-1)?.id ?? 0;
        assert(
          record.id > lastId,
          `got id ${record.id} after ${lastId}, expected ascending ids`,
        );
        assert(!knownSlugs.has(record.slug), `got slug ${record.slug} twice`);
        knownSlugs.add(record.slug);
        records.push(record);
      }
    } catch (error) {
      if (error instanceof DataError) return { response, problem: error.message };
      throw error;
    }
  }
  return undefined;
}

/** A list page that has passed validation. */
interface ListPage {
  readonly count: number;
  readonly results: readonly ServedRecord[];
}

function readPage(kind: Kind, { status, json, text }: ProbeResponse): ListPage {
  const isJson = status === 200 && json !== undefined;
  assert(isJson, `got status ${status}, ${formatValue(text)}, expected a list page`);
  const page = parse(pageSchemas[kind], json, {});
  assert(
    page.count <= MAX_RECORDS,
    `got count ${page.count}, expected at most ${MAX_RECORDS}`,
  );
  return page;
}

/**
 * Checks the count of a page, and the number of its results.
 *
 * @param count the count on the first page
 */
function assertCounts(
  { count: pageCount, results }: ListPage,
  offset: number,
  count: number,
): void {
  const isSame = pageCount === count;
  assert(isSame, `got count ${pageCount}, expected ${count}, as on the first page`);
  const size = Math.min(PAGE_SIZE, count - offset);
  assert(results.length === size, `got ${results.length} results, expected ${size}`);
}

function assert(isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new DataError(problem, {});
}
