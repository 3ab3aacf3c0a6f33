/** The built files, be they in a folder, a CDN's binding or memory, and what is made of them for a request. */

import type { Kind } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  ICONS_FOLDER,
  INDEX_FILE,
  type ListPage,
  linkHeader,
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
  /** Of a list page: its `Link` header. */
  readonly link?: string | undefined;
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
      const etag = response.headers.get('ETag');
      // Some hosts send no ETag.
      return etag === null ? createAsset(body) : { body, etag };
    },
  };
}

/** An asset with an ETag made of its body. */
async function createAsset(body: Asset['body']): Promise<Asset> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { body, etag: `"${hex}"` };
}

/** The content of a JSON file, which is ours. */
const parseAsset = <T>({ body }: Asset): T => JSON.parse(new TextDecoder().decode(body));

async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseAsset(asset);
}

/**
 * Any part of a list, assembled from the built pages that overlap it; undefined if the site does not have the list.
 *
 * @param isJson whether links keep the `format=json` of the request, as in the reference framework: those of built pages do not
 */
export async function listWindow(
  store: AssetStore,
  kind: Kind,
  { window, isJson }: { window: Window; isJson: boolean },
): Promise<Asset | undefined> {
  const { limit, offset } = window;
  const isBuilt = !isJson && limit === PAGE_SIZE && typeof offset === 'number' && offset % PAGE_SIZE === 0;
  const built = isBuilt ? await store.get(listPageFile(kind, offset)) : undefined;
  if (built) return { ...built, link: linkHeader(kind, limit, parseAsset<ListPage>(built)) };

  const readPage = (start: number) => readJson<ListPage>(store, listPageFile(kind, start));
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
  const results = records.slice(skipped, skipped + to - from);
  const format = isJson ? 'json' : 'api';
  const page = listPage({ baseUrl, links: 'query' }, kind, { window, count, results }, format);
  const asset = await createAsset(new TextEncoder().encode(JSON.stringify(page)));
  return { ...asset, link: linkHeader(kind, limit, page) };
}

/** The present path of a renamed record, by its former file; undefined if there is no redirect. */
export async function movedPath(store: AssetStore, file: string): Promise<string | undefined> {
  const table = await readJson<Readonly<Record<string, unknown>>>(store, MOVED_FILE);
  const to = table?.[`/${file.slice(0, -INDEX_FILE.length)}`];
  return typeof to === 'string' ? to : undefined;
}

/** The URL of an icon elsewhere; undefined if the file is not an icon, or there is no redirect. */
export async function iconRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(ICONS_FOLDER)) return undefined;
  // By hand, as the handler does not include the schemas.
  const meta = await readJson<{ sprites?: { mode?: unknown; upstream?: unknown } }>(store, META_FILE);
  const { mode: given, upstream } = meta?.sprites ?? {};
  const mode = iconModes.find((known) => known === given);
  const own = mode && { mode, upstream: typeof upstream === 'string' ? upstream : null };
  const base = iconRedirectBase(own ?? defaultIconSource);
  return base === null ? undefined : base + file.slice(ICONS_FOLDER.length);
}
