/** The interface between the handler and the built files, be they in a folder, a CDN's binding or memory. */

import { defaultIconSource, type IconSource, iconModes, iconRedirectBase } from '../../contract/icons.ts';
import { ICONS_FOLDER, INDEX_FILE, META_FILE, MOVED_FILE } from '../../contract/paths.ts';

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

/** The content of a JSON file, which is ours. */
export const parseAsset = <T>({ body }: Asset): T => JSON.parse(new TextDecoder().decode(body));

/** The same; undefined if it does not exist. */
export async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseAsset(asset);
}

/** An asset with an ETag made of its body. */
export async function createAsset(body: Uint8Array<ArrayBuffer>): Promise<Asset> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { body, etag: `"${hex}"` };
}

/** Fetches a file by its path inside the site; any status but 200 means that it does not exist. */
export type FetchFile = (file: string) => Promise<Response>;

export function createFetchStore(fetchFile: FetchFile): AssetStore {
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

/** The present path of a renamed record, by its former file; undefined if there is no redirect. */
export async function movedPath(store: AssetStore, file: string): Promise<string | undefined> {
  const table = (await readJson<Readonly<Record<string, unknown>>>(store, MOVED_FILE)) ?? {};
  const path = `/${file.slice(0, -INDEX_FILE.length)}`;
  const to = Object.hasOwn(table, path) ? table[path] : undefined;
  return typeof to === 'string' ? to : undefined;
}

/** The URL of an icon elsewhere; undefined if the file is not an icon, or there is no redirect. */
export async function iconRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(ICONS_FOLDER)) return undefined;
  const base = iconRedirectBase(iconSourceOf(await readJson(store, META_FILE)));
  return base === null ? undefined : base + file.slice(ICONS_FOLDER.length);
}

/** By hand, as the handler does not include the schemas. */
function iconSourceOf(meta?: { sprites?: { mode?: unknown; upstream?: unknown } }): IconSource {
  const mode = iconModes.find((name) => name === meta?.sprites?.mode);
  if (mode === undefined) return defaultIconSource;
  const upstream = meta?.sprites?.upstream;
  return { mode, upstream: typeof upstream === 'string' ? upstream : null };
}
