/** The built files, in memory or behind a CDN's binding, and the page ranges and redirects derived from them. */

import type { Kind } from '../../contract/kinds.ts';
import { PAGE_SIZE, type PageRange } from '../../contract/page-range.ts';
import * as paths from '../../contract/paths.ts';
import { defaultIconSource, getIconRedirect, iconModes } from '../../contract/responses.ts';

/** A file of the site. */
export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  /** In quotes; changes with the body. */
  readonly etag: string;
}

/** What a response sends. A long list consists of views of built pages, so that it takes no memory of its own. */
export interface Content {
  readonly parts: readonly Asset['body'][];
  readonly etag: string;
}

export interface AssetStore {
  /** Reads a file by its path inside the site; undefined if it does not exist. */
  get(file: string): Promise<Asset | undefined>;
}

/** @param fetchFile fetches a file by its path inside the site; any status but 200 means that it does not exist */
export function createFetchStore(fetchFile: (file: string) => Promise<Response>): AssetStore {
  return {
    async get(file) {
      const response = await fetchFile(file);
      if (response.status !== 200) {
        await response.body?.cancel();
        return undefined;
      }
      const body = new Uint8Array(await response.arrayBuffer());
      // Some hosts send no ETag.
      return { body, etag: response.headers.get('ETag') ?? (await createEtag(body)) };
    },
  };
}

async function createEtag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${hex}"`;
}

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const parseAsset = <T>({ body }: Asset): T => JSON.parse(new TextDecoder().decode(body));

export async function readContent(store: AssetStore, file: string): Promise<Content | undefined> {
  const asset = await store.get(file);
  return asset && { parts: [asset.body], etag: asset.etag };
}

async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseAsset(asset);
}

/**
 * Reads any page range of a list from the built pages that overlap it; undefined if the site lacks the list.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework; links of built pages do not
 */
export async function readPageRange(
  store: AssetStore,
  kind: Kind,
  { window, isJson }: { window: PageRange; isJson: boolean },
): Promise<Content | undefined> {
  const { limit, offset } = window;
  const isBuilt = !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await readContent(store, paths.listPageFile(kind, offset)) : undefined;
  if (built) return built;

  const first = await store.get(paths.listPageFile(kind, 0));
  const root = await readJson<Readonly<Record<Kind, string>>>(store, paths.rootFile);
  if (!first || !root) return undefined;
  const { count } = indexPage(first);
  // Beyond the end, both are the count.
  const from = Math.min(Number(offset), count);
  const to = Math.min(from + Number(limit), count);
  const parts: Asset['body'][] = [];
  const etags: string[] = [];
  for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
    const page = await store.get(paths.listPageFile(kind, start));
    if (!page) return undefined;
    parts.push(...(parts.length > 0 ? [COMMA] : []), sliceRecords(page, from - start, to - start));
    etags.push(page.etag);
  }

  const baseUrl = root[kind].slice(0, root[kind].lastIndexOf(paths.API_PREFIX));
  const format = isJson ? 'json' : 'api';
  const empty = paths.createListPage(
    { baseUrl, links: 'query' },
    kind,
    { window, count, results: [] },
    format,
  );
  const head = JSON.stringify(empty).slice(0, -END.length);
  const etag = await createEtag(encode(JSON.stringify([head, from, to, etags])));
  return { parts: [encode(head), ...parts, END], etag };
}

const COMMA = encode(',');
const END = encode(']}');

interface PageIndex {
  readonly count: number;
  /** The place of each record, and the place after the last one. */
  readonly starts: readonly number[];
  /** All records, as one view that every response shares. */
  readonly all: Asset['body'];
}

const pageIndexes = new WeakMap<Asset['body'], PageIndex>();

/** Finds the bytes of the records in a built page, which is compact JSON that ends with `results`. */
function indexPage(page: Asset): PageIndex {
  const known = pageIndexes.get(page.body);
  if (known) return known;
  const { count, results } = parseAsset<paths.ListPage>(page);
  // From the end, because a comma or bracket follows each record.
  let start = page.body.length - 1;
  const starts = [start];
  for (const record of results.toReversed()) {
    start -= encode(JSON.stringify(record)).length + 1;
    starts.unshift(start);
  }
  const index = { count, starts, all: page.body.subarray(start, -END.length) };
  pageIndexes.set(page.body, index);
  return index;
}

/** Returns the bytes of the records of a page from one index to before another, as far as the page has them. */
function sliceRecords(page: Asset, from: number, to: number): Asset['body'] {
  const { starts, all } = indexPage(page);
  const size = starts.length - 1;
  if (from <= 0 && to >= size) return all;
  return page.body.subarray(starts[Math.max(from, 0)], (starts[Math.min(to, size)] ?? 0) - 1);
}

/** Finds the current path of a renamed record by its old file. */
export async function findRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const table = await readJson<Readonly<Record<string, unknown>>>(store, paths.MOVED_FILE);
  const to = table?.[`/${file.slice(0, -paths.INDEX_FILE.length)}`];
  return typeof to === 'string' ? to : undefined;
}

/** Finds the URL of an icon that the site does not hold. */
export async function findIcon(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(paths.ICONS_FOLDER)) return undefined;
  // Without the schema: its library would be larger than the handler.
  const meta = await readJson<{ sprites?: { mode?: unknown; upstream?: unknown } }>(store, paths.META_FILE);
  const { mode: given, upstream } = meta?.sprites ?? {};
  const mode = iconModes.find((known) => known === given);
  const own = mode && { mode, upstream: typeof upstream === 'string' ? upstream : null };
  const base = getIconRedirect(own ?? defaultIconSource);
  return base === null ? undefined : base + file.slice(paths.ICONS_FOLDER.length);
}
