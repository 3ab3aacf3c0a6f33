/** Windows: any part of a list, assembled from the built pages that overlap it. */

import { concat } from '../../contract/bytes.ts';
import type { Kind } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  type LinkBase,
  listPageFile,
  listUrl,
  META_FILE,
  rootFile,
} from '../../contract/paths.ts';
import { nextWindow, PAGE_SIZE, previousWindow, type Window } from '../../contract/windows.ts';
import { quickHash } from './quick-hash.ts';
import type { Asset, AssetStore, StreamedAsset } from './store.ts';

/** Returns the list page for a window; undefined if the site does not have the list. */
export type WindowReader = (kind: Kind, window: Window) => Promise<Asset | StreamedAsset | undefined>;

/** A parsed page. */
interface Page {
  readonly count: number;
  /** The JSON of the records, separated by commas. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Where each record starts, and where one more would. */
  readonly starts: readonly number[];
  readonly etag: string;
}

const encoder = new TextEncoder();
const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

const COMMA = encode(',');
const END = encode(']}');

const RESULTS = encode('"results":[');

/** The number of parsed pages kept in memory. */
const PAGES_KEPT = 128;
/** Windows of more pages, which are two megabytes, are streamed. */
const PAGES_BUFFERED = 64;

export function createWindowReader(store: AssetStore): WindowReader {
  const pages = new Map<string, Page>();
  let base: LinkBase & { readonly etag: string } = { baseUrl: '', links: 'query', etag: '' };

  function baseOf(root: Asset): LinkBase {
    if (base.etag !== root.etag) base = { baseUrl: baseUrlOf(root), links: 'query', etag: root.etag };
    return base;
  }

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
    const starts: number[] = [];
    for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) starts.push(start);
    const next = nextWindow(window, count);
    const previous = previousWindow(window);
    const link = (to: Window | null): string => JSON.stringify(to && listUrl(baseOf(root), kind, to));
    const head = encode(`{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[`);
    const etagOf = (etags: readonly string[]): string =>
      `"${quickHash(`${etags.join()}:${limit}:${offset}`)}"`;
    const readSlice = async (start: number): Promise<Asset | undefined> => {
      const file = listPageFile(kind, start);
      const isWhole = from <= start && (to >= start + PAGE_SIZE || to === count);
      if (isWhole) return resultsOf(await store.get(file));
      const page = await readPage(file);
      return page && { body: recordsOf(page, Math.max(0, from - start), to - start), etag: page.etag };
    };

    if (starts.length > PAGES_BUFFERED) {
      // Its digest changes with any record.
      const meta = await store.get(META_FILE);
      const chunks = async function* (): AsyncGenerator<Uint8Array<ArrayBuffer>> {
        yield head;
        for (const start of starts) {
          const slice = await readSlice(start);
          if (!slice) throw new Error(`${listPageFile(kind, start)} is missing`);
          yield start === starts[0] ? slice.body : concat([COMMA, slice.body]);
        }
        yield END;
      };
      return { chunks, etag: etagOf([root.etag, first.etag, meta?.etag ?? '']) };
    }

    const pieces: Uint8Array[] = [];
    const etags = [root.etag, first.etag];
    for (const start of starts) {
      const slice = await readSlice(start);
      if (!slice) return undefined;
      if (pieces.length > 0) pieces.push(COMMA);
      pieces.push(slice.body);
      etags.push(slice.etag);
    }
    return { body: concat([head, ...pieces, END]), etag: etagOf(etags) };
  };
}

/** The records of a whole page, which is compact JSON and ends with them. */
function resultsOf(asset: Asset | undefined): Asset | undefined {
  if (!asset) return undefined;
  const { body, etag } = asset;
  const isAt = (at: number): boolean => RESULTS.every((byte, of) => body[at + of] === byte);
  let start = 0;
  while (start < body.length && !isAt(start)) start++;
  return { body: body.subarray(start + RESULTS.length, body.length - END.length), etag };
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
function recordsOf({ json, starts }: Page, from: number, to: number): Uint8Array<ArrayBuffer> {
  const end = starts[to] ?? starts.at(-1) ?? 0;
  return json.subarray(starts[from], Math.max(0, end - COMMA.length));
}

/** The base URL of the site, taken from its links. */
function baseUrlOf({ body }: Asset): string {
  const [link = ''] = Object.values(JSON.parse(decode(body)) as Record<Kind, string>);
  return link.slice(0, link.lastIndexOf(API_PREFIX));
}

const decode = (body: Uint8Array): string => new TextDecoder().decode(body);
