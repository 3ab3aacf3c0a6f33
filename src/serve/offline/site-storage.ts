import { META_FILE } from '../../contract/paths.ts';
import { getMediaType } from '../../contract/responses.ts';
import type { AssetStore, Bytes } from '../handler/asset-store.ts';
import { createDataStore, type OfflineMeta } from './data-store.ts';
import { type Files, parseMeta } from './download.ts';
import type { StoredCache, StoredCaches } from './worker-scope.ts';

/** A complete stored site, or only its data. It stays the same until it is replaced. */
export interface StoredSite {
  readonly meta: OfflineMeta;
  readonly metaBody: Bytes;
  /** All files of the API, and the other stored files. */
  readonly store: AssetStore;
  /** Adds a file to the stored site, or replaces it. */
  addFile(file: string, body: Bytes): Promise<void>;
  /** Lists the stored files. */
  listFiles(): Promise<string[]>;
  /** The time of the last check for new data, in milliseconds since 1970. */
  readCheckTime(): Promise<number>;
  saveCheckTime(time: number): Promise<void>;
}

export interface SiteStorage {
  /** Finds the newest complete site. Returns undefined if none is stored. */
  find(): Promise<StoredSite | undefined>;
  /**
   * Stores a site, and then removes the previous one. If the site cannot be stored, for
   * example because storage is full, the previous one is kept.
   */
  save(files: Files, metaBody: Bytes): Promise<StoredSite>;
}

interface StorageOptions {
  readonly caches: StoredCaches;
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** The prefix of all cache names. */
  readonly prefix: string;
  /** The version of the file formats. */
  readonly format: number;
}

/**
 * Creates the storage for one site. Each version of the site gets a cache of its own,
 * into which `meta.json` is written last. So a cache that contains this file is
 * complete, no matter when the browser terminates the worker.
 *
 * The keys are URLs. The stored responses are created here instead of copied from the
 * host, so that they have no `Vary` header. Otherwise, the browser would compare
 * `Accept` headers, and would not find the responses.
 */
export function createSiteStorage(options: StorageOptions): SiteStorage {
  const { caches, baseUrl, prefix } = options;

  async function listCacheNames(): Promise<string[]> {
    const names = await caches.keys();
    return names.filter((name) => name.startsWith(prefix));
  }

  async function find(): Promise<StoredSite | undefined> {
    const names = await listCacheNames();
    for (const name of names.reverse()) {
      const site = await findIn(await caches.open(name));
      if (site) return site;
    }
    return undefined;
  }

  /**
   * Treats a cache that cannot be read as incomplete, so that new data replaces it.
   */
  async function findIn(cache: StoredCache): Promise<StoredSite | undefined> {
    try {
      return await openStoredSite(cache, options);
    } catch {
      return undefined;
    }
  }

  async function save(files: Files, metaBody: Bytes): Promise<StoredSite> {
    const name = prefix + new Date().toISOString();
    try {
      const cache = await caches.open(name);
      // `meta.json` comes last, because it marks the cache as complete.
      for (const [file, body] of [...files, [META_FILE, metaBody] as const]) {
        await cache.put(`${baseUrl}/${file}`, createStoredResponse(file, body));
      }
      const site = await openStoredSite(cache, options);
      if (!site) throw new Error(`${name}: is incomplete`);
      await removeOlder(name);
      return site;
    } catch (error) {
      await caches.delete(name);
      throw error;
    }
  }

  /**
   * Removes the caches that were created before the named one. Newer ones may belong to
   * another app's worker on the same origin, which is storing the same data.
   */
  async function removeOlder(name: string): Promise<void> {
    const names = await listCacheNames();
    // If another worker has deleted the named cache, its index is -1.
    const index = Math.max(names.indexOf(name), 0);
    const olderNames = names.slice(0, index);
    for (const olderName of olderNames) await caches.delete(olderName);
  }

  return { find, save };
}

const createStoredResponse = (file: string, body: Bytes): Response =>
  new Response(body, { headers: { 'Content-Type': getMediaType(file) } });

/**
 * Opens the site in a cache. Returns undefined if the cache is incomplete.
 *
 * @throws if the cache is damaged or has the format of another version of gamedata
 */
async function openStoredSite(
  cache: StoredCache,
  { baseUrl, format }: StorageOptions,
): Promise<StoredSite | undefined> {
  const root = `${baseUrl}/`;

  async function readFile(file: string): Promise<Bytes | undefined> {
    const response = await cache.match(root + file);
    return response && new Uint8Array(await response.arrayBuffer());
  }

  const metaBody = await readFile(META_FILE);
  if (!metaBody) return undefined;
  const meta = parseMeta(metaBody, format);
  return {
    meta,
    metaBody,
    store: await createDataStore(meta, readFile),
    addFile: (file, body) =>
      cache.put(root + file, createStoredResponse(file, body)),
    async listFiles() {
      const requests = await cache.keys();
      return requests.map(({ url }) => url.slice(root.length));
    },
    async readCheckTime() {
      const response = await cache.match(root + CHECK_TIME);
      return response ? Number(await response.text()) : 0;
    },
    saveCheckTime: (time) =>
      cache.put(root + CHECK_TIME, new Response(String(time))),
  };
}

/**
 * The key under which the time of the last check is stored. No file of a site has this
 * name.
 */
const CHECK_TIME = '_checked';
