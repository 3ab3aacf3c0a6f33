import type { Kind } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import { defaultIconSource, getIconRedirect, type IconSource } from '../../contract/responses.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** A file of a site. */
export interface Asset {
  readonly body: Bytes;
  readonly etag: string;
}

/** What a URL responds with. The body may have parts that other responses share. */
export interface Representation {
  readonly body: Bytes | readonly Bytes[];
  readonly etag: string;
}

/** Reads the files of a site. */
export interface AssetStore {
  get(file: string): Promise<Asset | undefined>;
}

/** Returns a function that derives a value only once per file while the file stays in memory. */
export function cacheByBody<T>(derive: (body: Bytes) => T): (body: Bytes) => T {
  const values = new WeakMap<Bytes, T>();
  return (body) => {
    const value = values.get(body) ?? derive(body);
    values.set(body, value);
    return value;
  };
}

export const encode = (text: string): Bytes => new TextEncoder().encode(text);
export const decode = (bytes: Bytes): string => new TextDecoder().decode(bytes);

export async function createEtag(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digits: string[] = [];
  for (const byte of digest.subarray(0, 16)) digits.push(byte.toString(16).padStart(2, '0'));
  return `"${digits.join('')}"`;
}

/** The API root: kind → the URL of its list. */
export const readRoot = (store: AssetStore) =>
  readJson<Readonly<Record<Kind, string>>>(store, paths.rootFile);

/** Finds the current path of a renamed record by the file that it would have under its old slug. */
export async function findRedirect(store: AssetStore, file: string): Promise<string | undefined> {
  const redirects = await readJson<Readonly<Record<string, unknown>>>(store, paths.MOVED_FILE);
  const oldPath = `/${file.slice(0, -paths.INDEX_FILE.length)}`;
  const currentPath = redirects?.[oldPath];
  return typeof currentPath === 'string' ? currentPath : undefined;
}

/** Finds the URL of an icon at the upstream, unless the site contains its icons. */
export async function findIcon(store: AssetStore, file: string): Promise<string | undefined> {
  if (!file.startsWith(paths.ICONS_FOLDER)) return undefined;
  const meta = await readJson<{ readonly sprites?: IconSource }>(store, paths.META_FILE);
  const folderUrl = getIconRedirect(meta?.sprites ?? defaultIconSource);
  return folderUrl === null ? undefined : folderUrl + file.slice(paths.ICONS_FOLDER.length);
}

const parseBody = cacheByBody((body) => JSON.parse(decode(body)));

async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && parseBody(asset.body);
}
