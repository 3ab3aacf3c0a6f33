/** The built files, in memory or behind a CDN's binding, and the page ranges and redirects derived from them. */

import type { Kind } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  ICONS_FOLDER,
  INDEX_FILE,
  type ListPage,
  listPage,
  listPageFile,
  META_FILE,
  MOVED_FILE,
  rootFile,
} from '../../contract/paths.ts';
import { defaultIconSource, iconModes, iconRedirectBase } from '../../contract/routes.ts';
import { PAGE_SIZE, type Window } from '../../contract/windows.ts';

/** A file of the site. */
export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  /** In quotes; changes with the body. */
  readonly etag: string;
}

/** What a response sends. The parts of a long list are views of built pages, so that it takes no memory of its own. */
export interface Content {
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  readonly etag: string;
}

export const toContent = ({ body, etag }: Asset): Content => ({ parts: [body], etag });

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
      const etag = response.headers.get('ETag');
      // Some hosts send no ETag.
      return etag === null ? createAsset(body) : { body, etag };
    },
  };
}

async function createAsset(body: Asset['body']): Promise<Asset> {
  return { body, etag: await createEtag(body) };
}

async function createEtag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = [...digest.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${hex}"`;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const parseAsset = <T>({ body }: Asset): T => JSON.parse(new TextDecoder().decode(body));

async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseAsset(asset);
}

/**
 * Reads any page range of a list, assembled from the built pages that overlap it; undefined if the site lacks the list.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework: links of built pages do not
 */
export async function readPageRange(
  store: AssetStore,
  kind: Kind,
  { window, isJson }: { window: Window; isJson: boolean },
): Promise<Content | undefined> {
  const { limit, offset } = window;
  const isBuilt = !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await store.get(listPageFile(kind, offset)) : undefined;
  if (built) return toContent(built);

  const first = await store.get(listPageFile(kind, 0));
  const root = await readJson<Readonly<Record<Kind, string>>>(store, rootFile);
  if (!first || !root) return undefined;
  const { count } = findRecords(first);
  // Beyond the end, both are the count.
  const from = Math.min(Number(offset), count);
  const to = Math.min(from + Number(limit), count);
  const slices: Uint8Array<ArrayBuffer>[] = [];
  const etags: string[] = [];
  for (let start = from - (from % PAGE_SIZE); start < to; start += PAGE_SIZE) {
    const page = await store.get(listPageFile(kind, start));
    if (!page) return undefined;
    slices.push(COMMA, findRecords(page).slice(from - start, to - start));
    etags.push(page.etag);
  }

  const baseUrl = root[kind].slice(0, root[kind].lastIndexOf(API_PREFIX));
  const format = isJson ? 'json' : 'api';
  const empty = listPage({ baseUrl, links: 'query' }, kind, { window, count, results: [] }, format);
  const head = JSON.stringify(empty).slice(0, -END.length);
  const etag = await createEtag(encode(JSON.stringify([head, from, to, etags])));
  return { parts: [encode(head), ...slices.slice(1), END], etag };
}

const COMMA = encode(',');
const END = encode(']}');

type Records = ReturnType<typeof indexRecords>;
const recordsOfPages = new WeakMap<Asset['body'], Records>();

function findRecords(page: Asset): Records {
  const records = recordsOfPages.get(page.body) ?? indexRecords(page);
  recordsOfPages.set(page.body, records);
  return records;
}

/** Finds the bytes of each record of a built page, which is compact JSON with `results` last. */
function indexRecords(page: Asset) {
  const { count, results } = parseAsset<ListPage>(page);
  const lengths = results.map((record) => encode(JSON.stringify(record)).length);
  // A comma or the closing bracket follows each record.
  const starts = [page.body.length - 1];
  for (const length of lengths.toReversed()) starts.unshift((starts[0] ?? 0) - length - 1);
  const all = page.body.subarray(starts[0], page.body.length - END.length);
  return {
    count,
    /** The bytes of the records from one index to before another; both may be outside the page. */
    slice(from: number, to: number): Uint8Array<ArrayBuffer> {
      if (from <= 0 && to >= results.length) return all;
      return page.body.subarray(
        starts.at(Math.max(from, 0)),
        (starts[Math.min(to, results.length)] ?? 0) - 1,
      );
    },
  };
}

/** Finds the current path of a renamed record by its old file. */
export async function findRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const table = await readJson<Readonly<Record<string, unknown>>>(store, MOVED_FILE);
  const to = table?.[`/${file.slice(0, -INDEX_FILE.length)}`];
  return typeof to === 'string' ? to : undefined;
}

/** Finds the URL of an icon that the site does not hold. */
export async function findIcon(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(ICONS_FOLDER)) return undefined;
  // Without the schema: its library would be larger than the handler.
  const meta = await readJson<{ sprites?: { mode?: unknown; upstream?: unknown } }>(store, META_FILE);
  const { mode: given, upstream } = meta?.sprites ?? {};
  const mode = iconModes.find((known) => known === given);
  const own = mode && { mode, upstream: typeof upstream === 'string' ? upstream : null };
  const base = iconRedirectBase(own ?? defaultIconSource);
  return base === null ? undefined : base + file.slice(ICONS_FOLDER.length);
}
