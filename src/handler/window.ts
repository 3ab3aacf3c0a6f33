/** Windows: any part of a list, assembled from the built pages that overlap it. */

import type { Kind } from '../contract/kinds.ts';
import { API_PREFIX, listPageFile, listUrl, rootFile } from '../contract/paths.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../contract/windows.ts';
import { concat } from '../text/bytes.ts';
import { quickHash } from './quick-hash.ts';
import type { Asset, AssetStore } from './store.ts';

/** Returns the list page for a window; undefined if the site does not have the list. */
export type WindowReader = (kind: Kind, window: Window) => Promise<Asset | undefined>;

/** A parsed page. */
interface Page {
  readonly count: number;
  /** The JSON of the records, separated by commas. */
  readonly json: Uint8Array;
  /** Where each record starts, and where one more would. */
  readonly starts: readonly number[];
  readonly etag: string;
}

const COMMA = encode(',');
const END = encode(']}');

/** The number of parsed pages kept in memory. */
const PAGES_KEPT = 128;

export function createWindowReader(store: AssetStore): WindowReader {
  const pages = new Map<string, Page>();

  async function readPage(file: string): Promise<Page | undefined> {
    const asset = await store.get(file);
    if (!asset) return undefined;
    const known = pages.get(file);
    const page = known?.etag === asset.etag ? known : parsePage(asset);
    // Moved to the end: the first is the least recently used.
    pages.delete(file);
    pages.set(file, page);
    const [oldest] = pages.keys();
    if (pages.size > PAGES_KEPT && oldest !== undefined) pages.delete(oldest);
    return page;
  }

  return async (kind, window) => {
    const { limit, offset } = window;
    const isBuilt = limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
    const built = isBuilt ? await store.get(listPageFile(kind, offset)) : undefined;
    if (built) return built;

    const first = await readPage(listPageFile(kind, 0));
    const root = await store.get(rootFile);
    if (!first || !root) return undefined;
    const { count } = first;
    // Past the end both are the count, and nothing is read.
    const from = Math.min(Number(offset), count);
    const to = Math.min(from + Number(limit), count);
    const pieces: Uint8Array[] = [];
    const etags = [root.etag, first.etag];
    for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
      const page = await readPage(listPageFile(kind, start));
      if (!page) return undefined;
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(recordsOf(page, Math.max(0, from - start), to - start));
      etags.push(page.etag);
    }
    const base = { baseUrl: baseUrlOf(root), links: 'query' } as const;
    const next = nextWindow(window, count);
    const previous = previousWindow(window);
    const link = (to: Window | null): string => JSON.stringify(to && listUrl(base, kind, to));
    const head = encode(`{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[`);
    return {
      body: concat([head, ...pieces, END]),
      etag: `"${quickHash(`${etags.join()}:${limit}:${offset}`)}"`,
    };
  };
}

function parsePage({ body, etag }: Asset): Page {
  const { count, results } = JSON.parse(decode(body)) as { count: number; results: unknown[] };
  const records = results.map((record) => encode(JSON.stringify(record)));
  const starts = [0];
  for (const { length } of records) starts.push((starts.at(-1) ?? 0) + length + COMMA.length);
  const json = concat(records.flatMap((record, at) => (at > 0 ? [COMMA, record] : [record])));
  return { count, json, starts, etag };
}

/** The JSON of consecutive records of a page, which is one slice. */
function recordsOf({ json, starts }: Page, from: number, to: number): Uint8Array {
  const end = starts[to] ?? starts.at(-1) ?? 0;
  return json.subarray(starts[from], Math.max(0, end - COMMA.length));
}

/** The base URL of the site, taken from its links. */
function baseUrlOf({ body }: Asset): string {
  const [link = ''] = Object.values(JSON.parse(decode(body)) as Record<Kind, string>);
  return link.slice(0, link.lastIndexOf(API_PREFIX));
}

const decode = (body: Uint8Array): string => new TextDecoder().decode(body);
function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
