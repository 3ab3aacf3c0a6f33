/** Windows: any part of a list, assembled from the built pages that overlap it. */

import type { Kind } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  type ListPage,
  linkHeader,
  listPageFile,
  listUrl,
  rootFile,
} from '../../contract/paths.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../../contract/windows.ts';
import { type Asset, type AssetStore, createAsset, parseAsset, readJson } from './store.ts';

/**
 * The list page for a window; undefined if the site does not have the list.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework: those of built pages do not
 */
export async function listWindow(
  store: AssetStore,
  kind: Kind,
  { window, isJson }: { window: Window; isJson: boolean },
): Promise<Asset | undefined> {
  const { limit, offset } = window;
  const readPage = (start: number) => readJson<ListPage>(store, listPageFile(kind, start));
  const isBuilt = !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await store.get(listPageFile(kind, offset)) : undefined;
  if (built) return { ...built, link: linkHeader(kind, limit, parseAsset<ListPage>(built)) };

  const first = await readPage(0);
  const root = await readJson<Readonly<Record<Kind, string>>>(store, rootFile);
  if (!first || !root) return undefined;
  const { count } = first;
  // Past the end both are the count.
  const from = Math.min(Number(offset), count);
  const to = Math.min(from + Number(limit), count);
  const skipped = from % PAGE_SIZE;
  const records: unknown[] = [];
  for (let start = from - skipped; start < to; start += PAGE_SIZE) {
    const page = await readPage(start);
    if (!page) return undefined;
    records.push(...page.results);
  }

  const baseUrl = root[kind].slice(0, root[kind].lastIndexOf(API_PREFIX));
  const link = (to: Window | null) =>
    to && listUrl({ baseUrl, links: 'query' }, kind, to, isJson ? 'json' : 'api');
  const page = {
    count,
    next: link(nextWindow(window, count)),
    previous: link(previousWindow(window)),
    results: records.slice(skipped, skipped + to - from),
  };
  const asset = await createAsset(new TextEncoder().encode(JSON.stringify(page)));
  return { ...asset, link: linkHeader(kind, limit, page) };
}
