import type { Kind } from '../../contract/kinds.ts';
import { PAGE_SIZE, type PageRange } from '../../contract/page-range.ts';
import * as paths from '../../contract/paths.ts';
import { defaultIconSource, getIconRedirect, type IconSource } from '../../contract/responses.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface Asset {
  readonly body: Bytes;
  readonly etag: string;
}

/** A long list consists of views of built pages, so that it takes no memory of its own. */
export interface Content {
  readonly body: Bytes | readonly Bytes[];
  readonly etag: string;
}

export interface AssetStore {
  get(file: string): Promise<Asset | undefined>;
}

/** Derives a value only once per file while the file stays in memory. */
function cacheByBody<T>(derive: (body: Bytes) => T): (body: Bytes) => T {
  const known = new WeakMap<Bytes, T>();
  return (body) => {
    const value = known.get(body) ?? derive(body);
    known.set(body, value);
    return value;
  };
}

const parseBody = cacheByBody((body) => JSON.parse(decode(body)));

async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseBody(asset.body);
}

export const encode = (text: string): Bytes => new TextEncoder().encode(text);
const decode = (bytes: Bytes): string => new TextDecoder().decode(bytes);

export async function createEtag(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest.subarray(0, 16)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
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
  const isBuilt =
    !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await store.get(paths.listPageFile(kind, offset)) : undefined;
  if (built) return built;

  const first = await store.get(paths.listPageFile(kind, 0));
  const root = await readJson<Readonly<Record<Kind, string>>>(store, paths.rootFile);
  if (!first || !root) return undefined;
  const { count } = indexPage(first.body);
  const from = Math.min(Number(offset), count);
  const to = Math.min(from + Number(limit), count);
  const records: Bytes[] = [];
  const etags: string[] = [];
  for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
    const page = await store.get(paths.listPageFile(kind, start));
    if (!page) return undefined;
    records.push(
      ...(records.length > 0 ? [COMMA] : []),
      sliceRecords(page.body, from - start, to - start),
    );
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
  return { body: [encode(head), ...records, END], etag };
}

const COMMA = encode(',');
const END = encode(']}');

/** Finds the records in a built page, which is compact JSON that ends with `results`. */
const indexPage = cacheByBody((body) => {
  const { count, results }: paths.ListPage = JSON.parse(decode(body));
  let start = body.length - 1;
  const starts = [start];
  for (const record of results.toReversed()) {
    start -= encode(JSON.stringify(record)).length + 1;
    starts.unshift(start);
  }
  return { count, starts, all: body.subarray(start, -END.length) };
});

/** Full pages share one view in all responses. */
function sliceRecords(page: Bytes, from: number, to: number): Bytes {
  const { starts, all } = indexPage(page);
  const size = starts.length - 1;
  if (from <= 0 && to >= size) return all;
  return page.subarray(starts[Math.max(from, 0)], (starts[Math.min(to, size)] ?? 0) - 1);
}

export async function findRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const table = await readJson<Readonly<Record<string, unknown>>>(store, paths.MOVED_FILE);
  const to = table?.[`/${file.slice(0, -paths.INDEX_FILE.length)}`];
  return typeof to === 'string' ? to : undefined;
}

export async function findIcon(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(paths.ICONS_FOLDER)) return undefined;
  const meta = await readJson<{ readonly sprites?: IconSource }>(store, paths.META_FILE);
  const base = getIconRedirect(meta?.sprites ?? defaultIconSource);
  return base === null ? undefined : base + file.slice(paths.ICONS_FOLDER.length);
}
