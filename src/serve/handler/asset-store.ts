import type { Kind } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import {
  defaultIconSource,
  getIconRedirect,
  type IconSource,
} from '../../contract/responses.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** A site file with its ETag. */
export interface Asset {
  readonly body: Bytes;
  readonly etag: string;
}

/**
 * The content of a response. Different responses may share parts of their bodies.
 */
export interface Representation {
  readonly body: Bytes | readonly Bytes[];
  readonly etag: string;
}

/** Reads a site's files. */
export interface AssetStore {
  get(file: string): Promise<Asset | undefined>;
}

/**
 * Returns a function that derives a value from a file's content, and caches the value
 * for as long as the content stays in memory.
 */
export function cacheByBody<T>(derive: (body: Bytes) => T): (body: Bytes) => T {
  const values = new WeakMap<Bytes, T>();
  return (body) => {
    const knownValue = values.get(body);
    if (knownValue !== undefined) return knownValue;
    const value = derive(body);
    values.set(body, value);
    return value;
  };
}

export const encode = (text: string): Bytes => new TextEncoder().encode(text);
export const decode = (bytes: Bytes): string => new TextDecoder().decode(bytes);

/** Computes the SHA-256 of content as 64 hexadecimal digits. */
export async function computeSha256(bytes: Bytes): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  let digits = '';
  for (const byte of new Uint8Array(digest)) {
    digits += byte.toString(16).padStart(2, '0');
  }
  return digits;
}

/** Creates a strong ETag from the first half of the content's SHA-256. */
export async function createEtag(bytes: Bytes): Promise<string> {
  const digits = await computeSha256(bytes);
  return `"${digits.slice(0, 32)}"`;
}

/** The API root, which maps each kind to the URL of its list. */
type Root = Readonly<Record<Kind, string>>;

export function readRoot(store: AssetStore): Promise<Root | undefined> {
  return readJson<Root>(store, paths.rootFile);
}

/** The current path of each renamed record, by its old path. */
type MovedPaths = Readonly<Record<string, string>>;

/**
 * Finds the current path of a renamed record.
 *
 * @param file the file that the record would have under its old slug
 */
export async function findRedirect(
  store: AssetStore,
  file: string,
): Promise<string | undefined> {
  const moved = await readJson<MovedPaths>(store, paths.MOVED_FILE);
  return moved?.[paths.toPath(file)];
}

/**
 * Finds the URL of an icon at the upstream. Returns undefined if the site contains
 * its own icons.
 */
export async function findIcon(
  store: AssetStore,
  file: string,
): Promise<string | undefined> {
  if (!file.startsWith(paths.ICONS_FOLDER)) return undefined;
  const meta = await readJson<{ readonly sprites?: IconSource }>(
    store,
    paths.META_FILE,
  );
  const folderUrl = getIconRedirect(meta?.sprites ?? defaultIconSource);
  if (folderUrl === null) return undefined;
  const iconName = file.slice(paths.ICONS_FOLDER.length);
  return folderUrl + iconName;
}

const parseBody = cacheByBody((body) => JSON.parse(decode(body)));

/** Parses a JSON file from the site. The build has already validated it. */
async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  if (!asset) return undefined;
  return parseBody(asset.body);
}
