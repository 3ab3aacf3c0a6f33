/** Crawls a deployment: follows `next` from the first page of each list to the last, and checks every page. */

import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { maxBytesOf } from '../contract/limits.ts';
import { show } from '../contract/parse.ts';
import { API_PREFIX, type LinkBase, listPageFile, listUrl, rootFile } from '../contract/paths.ts';
import { MAX_RECORDS } from '../contract/records.ts';
import { checkListPage, type ServedRecord } from '../contract/served.ts';
import { PAGE_SIZE } from '../contract/windows.ts';
import type { Probe, ProbeResponse } from '../http/probe.ts';

export interface CrawledList {
  readonly count: number;
  readonly records: readonly ServedRecord[];
}

type Fail = (guarantee: 'root' | 'lists', response: ProbeResponse, problem: string) => void;

/** Links in a circle end here. */
const MAX_PAGES = MAX_RECORDS / PAGE_SIZE;
/** A list that is so wrong, or so long, is not read to its end: its records are kept in memory. */
const MAX_PROBLEMS = 20;
const MAX_LENGTH = 64 * 1024 * 1024;

/** Reports problems in a fixed order, although lists are crawled concurrently. */
export async function crawl(
  probe: Probe,
  linkBase: LinkBase,
  fail: Fail,
): Promise<Record<Kind, CrawledList>> {
  await checkRoot(probe, linkBase, fail);
  const crawled = await Promise.all(kindNames.map((kind) => crawlList(probe, linkBase, kind)));
  for (const { problems } of crawled)
    for (const [response, problem] of problems) fail('lists', response, problem);
  return Object.fromEntries(crawled.map(({ kind, list }) => [kind, list] as const)) as Record<
    Kind,
    CrawledList
  >;
}

/** What is no possible count is 0, and differs from what the page says. */
const countOf = (value: unknown): number => {
  const count = Number(value);
  return Number.isInteger(count) && count >= 0 && count <= MAX_RECORDS ? count : 0;
};

async function checkRoot(probe: Probe, linkBase: LinkBase, fail: Fail): Promise<void> {
  const path = linkBase.links === 'file' ? `/${rootFile}` : API_PREFIX;
  const response = await probe.send({ path });
  const expected = mapKinds((kind) => listUrl(linkBase, kind));
  if (response.status === 200 && JSON.stringify(response.json) === JSON.stringify(expected)) return;
  const problem = `got status ${response.status}, ${show(response.json)}, expected ${JSON.stringify(expected)}`;
  fail('root', response, problem + otherBase(response.text, linkBase));
}

/** Suggests an option if only the base URL of the links differs. */
function otherBase(root: string, linkBase: LinkBase): string {
  const [kind] = kindNames;
  const rest = listUrl(linkBase, kind).slice(linkBase.baseUrl.length);
  const link = root.slice(root.indexOf('http')).split('"')[0] ?? '';
  if (!link.startsWith('http') || !link.endsWith(rest)) return '';
  return `; if the site was built for that base URL, use --link-base ${link.slice(0, -rest.length)}`;
}

async function crawlList(probe: Probe, linkBase: LinkBase, kind: Kind) {
  const records: ServedRecord[] = [];
  const problems: [response: ProbeResponse, problem: string][] = [];
  const first = listUrl(linkBase, kind);
  const send = (link: string): Promise<ProbeResponse> =>
    probe.send({ path: link.slice(linkBase.baseUrl.length), maxBytes: maxBytesOf(listPageFile(kind, 0)) });
  let length = 0;
  let count = 0;
  let link: string | null = first;
  for (let page = 0; link !== null && page < MAX_PAGES && problems.length < MAX_PROBLEMS; page++) {
    const response: ProbeResponse = await send(link);
    length += response.text.length;
    if (length > MAX_LENGTH) {
      problems.push([response, `got list pages of more than ${MAX_LENGTH} characters in all`]);
      break;
    }
    const envelope = response.json as { count?: unknown; next?: unknown } | undefined;
    if (response.status !== 200 || typeof envelope !== 'object' || envelope === null) {
      const got = `got status ${response.status}, ${show(response.text)}`;
      problems.push([response, `${got}, expected a list page`]);
      break;
    }
    if (page === 0) count = countOf(envelope.count);
    const window = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
    const expected = { kind, window, count, linkBase, after: records.at(-1)?.id ?? 0 };
    const note = (problem: string): void => void problems.push([response, problem]);
    for (const record of checkListPage(JSON.stringify(envelope), expected, note)) records.push(record);
    const { next } = envelope;
    // A link to elsewhere has been reported, and is not followed.
    link = typeof next === 'string' && next.startsWith(`${linkBase.baseUrl}/`) ? next : null;
  }
  const slugs = new Set(records.map(({ slug }) => slug));
  if (slugs.size < records.length) problems.push([await send(first), 'got a slug twice']);
  const list: CrawledList = { count, records };
  return { kind, list, problems };
}
