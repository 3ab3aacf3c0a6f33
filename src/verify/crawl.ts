/** The crawl: follows `next` from the first page of each list to its end, and checks every page on the way. */

import { type LinkBase, listUrl, rootFile } from '../contract/addresses.ts';
import { checkPage, type ListedRecord } from '../contract/check.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { show } from '../contract/parse.ts';
import { PAGE_SIZE } from '../contract/windows.ts';
import type { CrawledList } from './examination.ts';
import type { Probe, Reply } from './probe.ts';

type Fail = (clause: 'root' | 'lists', reply: Reply, problem: string) => void;

/** No list has more pages than this: whoever links in circles is noticed. */
const MAX_PAGES = 100_000;

export async function crawl(
  probe: Probe,
  linkBase: LinkBase,
  fail: Fail,
): Promise<Record<Kind, CrawledList>> {
  await checkRoot(probe, linkBase, fail);
  const entries = await Promise.all(
    kindNames.map(async (kind) => [kind, await crawlList(probe, { linkBase, kind, fail })] as const),
  );
  const lists = new Map(entries);
  return mapKinds((kind) => lists.get(kind) ?? { count: 0, records: [] });
}

async function checkRoot(probe: Probe, linkBase: LinkBase, fail: Fail): Promise<void> {
  const path =
    linkBase.links === 'file' ? `/${rootFile}` : `/${rootFile.slice(0, rootFile.lastIndexOf('/') + 1)}`;
  const reply = await probe.ask({ path });
  const expected = mapKinds((kind) => listUrl(linkBase, kind));
  if (reply.status === 200 && JSON.stringify(reply.json) === JSON.stringify(expected)) return;
  const problem = `got status ${reply.status}, ${show(reply.json)}, expected ${JSON.stringify(expected)}`;
  fail('root', reply, problem + otherBase(reply.text, linkBase));
}

/** Names the option that helps where only the beginning of the links is not what was expected. */
function otherBase(root: string, linkBase: LinkBase): string {
  const [kind] = kindNames;
  const behind = listUrl(linkBase, kind).slice(linkBase.baseUrl.length);
  const link = root.slice(root.indexOf('http')).split('"')[0] ?? '';
  if (!link.startsWith('http') || !link.endsWith(behind)) return '';
  return `; if the site was built for that address: --link-base ${link.slice(0, -behind.length)}`;
}

async function crawlList(
  probe: Probe,
  { linkBase, kind, fail }: { linkBase: LinkBase; kind: Kind; fail: Fail },
): Promise<CrawledList> {
  const records: ListedRecord[] = [];
  let count = 0;
  let link: string | null = listUrl(linkBase, kind);
  for (let page = 0; link !== null && page < MAX_PAGES; page++) {
    const reply: Reply = await probe.ask({ path: link.slice(linkBase.baseUrl.length) });
    const envelope = reply.json as { count?: unknown; next?: unknown } | undefined;
    if (reply.status !== 200 || typeof envelope !== 'object' || envelope === null) {
      fail('lists', reply, `got status ${reply.status}, ${show(reply.text)}, expected a list page`);
      break;
    }
    if (page === 0) count = Number(envelope.count);
    const window = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
    const expected = { kind, window, count, linkBase, after: records.at(-1)?.id ?? 0 };
    records.push(
      ...checkPage(JSON.stringify(envelope), expected, (problem) => fail('lists', reply, problem)),
    );
    const { next } = envelope;
    // A link to elsewhere has been reported, and is not followed.
    link = typeof next === 'string' && next.startsWith(`${linkBase.baseUrl}/`) ? next : null;
  }
  const slugs = new Set(records.map(({ slug }) => slug));
  if (slugs.size < records.length) {
    fail(
      'lists',
      await probe.ask({ path: listUrl(linkBase, kind).slice(linkBase.baseUrl.length) }),
      'got a slug twice',
    );
  }
  return { count, records };
}
