import type { Kind } from '../../contract/kinds.ts';
import { PAGE_SIZE, type PageRange } from '../../contract/page-range.ts';
import * as paths from '../../contract/paths.ts';
import { defaultIconSource, getIconRedirect, iconModes } from '../../contract/responses.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface Asset {
  readonly body: Bytes;
  readonly etag: string;
}

/** A response body. A long list consists of views of built pages, so that it takes no memory of its own. */
export interface Content {
  readonly parts: readonly Bytes[];
  readonly etag: string;
}

export interface AssetStore {
  get(file: string): Promise<Asset | undefined>;
}

export async function readContent(store: AssetStore, file: string): Promise<Content | undefined> {
  const asset = await store.get(file);
  return asset && { parts: [asset.body], etag: asset.etag };
}

const parsedFiles = new WeakMap<Bytes, unknown>();

/** Parses each file only once while it stays in memory. */
async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  if (!asset) return undefined;
  const parsed = parsedFiles.get(asset.body) ?? JSON.parse(decode(asset.body));
  parsedFiles.set(asset.body, parsed);
  return parsed as T;
}

export const encode = (text: string): Bytes => new TextEncoder().encode(text);
const decode = (bytes: Bytes): string => new TextDecoder().decode(bytes);

export async function createEtag(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${hex}"`;
}

/**
 * Reads any page range of a list from the built pages that overlap it.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework
 */
export async function readPageRange(
  store: AssetStore,
  kind: Kind,
  range: PageRange,
  isJson: boolean,
): Promise<Content | undefined> {
  const { limit, offset } = range;
  const isBuilt = !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await readContent(store, paths.listPageFile(kind, offset)) : undefined;
  if (built) return built;

  const first = await store.get(paths.listPageFile(kind, 0));
  const root = await readJson<Readonly<Record<Kind, string>>>(store, paths.rootFile);
  if (!first || !root) return undefined;
  const { count } = indexPage(first);
  const from = Math.min(Number(offset), count);
  const to = Math.min(from + Number(limit), count);
  const parts: Bytes[] = [];
  const etags: string[] = [];
  for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
    const page = await store.get(paths.listPageFile(kind, start));
    if (!page) return undefined;
    parts.push(...(parts.length > 0 ? [COMMA] : []), sliceRecords(page, from - start, to - start));
    etags.push(page.etag);
  }

  const linkBase = {
    baseUrl: root[kind].slice(0, root[kind].lastIndexOf(paths.API_PREFIX)),
    links: 'query',
  } as const;
  const empty = { range, count, results: [] };
  const page = paths.createListPage(linkBase, kind, empty, isJson ? 'json' : 'api');
  const head = JSON.stringify(page).slice(0, -END.length);
  const etag = await createEtag(encode(JSON.stringify([head, from, to, etags])));
  return { parts: [encode(head), ...parts, END], etag };
}

const COMMA = encode(',');
const END = encode(']}');

interface PageIndex {
  readonly count: number;
  readonly starts: readonly number[];
  readonly all: Bytes;
}

const pageIndexes = new WeakMap<Bytes, PageIndex>();

/** Finds the records in a built page, which is compact JSON that ends with `results`. */
function indexPage({ body }: Asset): PageIndex {
  const known = pageIndexes.get(body);
  if (known) return known;
  const { count, results }: paths.ListPage = JSON.parse(decode(body));
  let start = body.length - 1;
  const starts = [start];
  for (const record of results.toReversed()) {
    start -= encode(JSON.stringify(record)).length + 1;
    starts.unshift(start);
  }
  const index = { count, starts, all: body.subarray(start, -END.length) };
  pageIndexes.set(body, index);
  return index;
}

/** Full pages share one view in all responses. */
function sliceRecords(page: Asset, from: number, to: number): Bytes {
  const { starts, all } = indexPage(page);
  const size = starts.length - 1;
  if (from <= 0 && to >= size) return all;
  return page.body.subarray(starts[Math.max(from, 0)], (starts[Math.min(to, size)] ?? 0) - 1);
}

export async function findRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const table = await readJson<Readonly<Record<string, unknown>>>(store, paths.MOVED_FILE);
  const to = table?.[`/${file.slice(0, -paths.INDEX_FILE.length)}`];
  return typeof to === 'string' ? to : undefined;
}

export async function findIcon(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(paths.ICONS_FOLDER)) return undefined;
  // A zod schema would be larger than the handler.
  const meta = await readJson<{ sprites?: { mode?: unknown; upstream?: unknown } }>(store, paths.META_FILE);
  const { mode: given, upstream } = meta?.sprites ?? {};
  const mode = iconModes.find((known) => known === given);
  const own = mode && { mode, upstream: typeof upstream === 'string' ? upstream : null };
  const base = getIconRedirect(own ?? defaultIconSource);
  return base === null ? undefined : base + file.slice(paths.ICONS_FOLDER.length);
}
