/** Windows: any part of a list, assembled from the built pages that it touches and no others. */

import { API_PREFIX, listUrl, pageFile, rootFile } from '../contract/addresses.ts';
import type { Kind } from '../contract/kinds.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../contract/windows.ts';
import { quickHash } from './quick-hash.ts';
import type { Asset, AssetStore } from './store.ts';

/** Reads what a window of a list answers; undefined where the site has no such list. */
export type WindowReader = (kind: Kind, window: Window) => Promise<Asset | undefined>;

/** A built page taken apart. */
interface Page {
  readonly count: number;
  /** The JSON of each record. */
  readonly records: readonly string[];
  readonly etag: string;
}

/** How many pages stay taken apart in memory. */
const PAGES_KEPT = 128;

export function createWindowReader(store: AssetStore): WindowReader {
  const pages = new Map<string, Page>();

  async function readPage(file: string): Promise<Page | undefined> {
    const asset = await store.get(file);
    if (!asset) return undefined;
    const known = pages.get(file);
    const page = known?.etag === asset.etag ? known : takeApart(asset);
    // Put in anew at the end: the first is the one not asked for longest.
    pages.delete(file);
    pages.set(file, page);
    const [oldest] = pages.keys();
    if (pages.size > PAGES_KEPT && oldest !== undefined) pages.delete(oldest);
    return page;
  }

  return async (kind, window) => {
    const { limit, offset } = window;
    const isBuilt = limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
    const built = isBuilt ? await store.get(pageFile(kind, offset)) : undefined;
    if (built) return built;

    const first = await readPage(pageFile(kind, 0));
    const root = await store.get(rootFile);
    if (!first || !root) return undefined;
    const { count } = first;
    // Past the end both are the count, and nothing is read.
    const from = Math.min(Number(offset), count);
    const to = Math.min(from + Number(limit), count);
    const records: string[] = [];
    const etags = [root.etag, first.etag];
    for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
      const page = await readPage(pageFile(kind, start));
      if (!page) return undefined;
      records.push(...page.records.slice(Math.max(0, from - start), to - start));
      etags.push(page.etag);
    }
    const base = { baseUrl: baseUrlOf(root), links: 'query' } as const;
    const next = nextWindow(window, count);
    const previous = previousWindow(window);
    const link = (to: Window | null): string => JSON.stringify(to && listUrl(base, kind, to));
    const body = `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${records.join(',')}]}`;
    return { body: encode(body), etag: `"${quickHash(`${etags.join()}:${limit}:${offset}`)}"` };
  };
}

function takeApart({ body, etag }: Asset): Page {
  const { count, results } = JSON.parse(decode(body)) as { count: number; results: unknown[] };
  return { count, records: results.map((record) => JSON.stringify(record)), etag };
}

/** What stands before the API's prefix in the links that were built. */
function baseUrlOf({ body }: Asset): string {
  const [link = ''] = Object.values(JSON.parse(decode(body)) as Record<Kind, string>);
  return link.slice(0, link.lastIndexOf(API_PREFIX));
}

const decode = (body: Uint8Array): string => new TextDecoder().decode(body);
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
