import { META_FILE, namesFile } from '../../contract/paths.ts';
import type { Bytes } from '../handler/asset-store.ts';
import type { OfflineMeta } from './data-store.ts';
import { downloadFiles, type FetchFile, parseMeta } from './download.ts';
import type { SiteStorage, StoredSite } from './site-storage.ts';

/** Keeps the stored site up to date. */
export interface Library {
  /** Returns the stored site, or undefined if none is stored yet. */
  read(): Promise<StoredSite | undefined>;
  /**
   * Downloads the site if it has changed, or if nothing is stored yet. Requests
   * `meta.json` at most once every five minutes to check for changes.
   *
   * @throws if the host does not respond, or if the site cannot be stored
   */
  refresh(): Promise<void>;
  /**
   * Downloads and stores the site.
   *
   * @throws if the host does not respond, or if the site cannot be stored
   */
  download(): Promise<void>;
}

interface LibraryOptions {
  readonly storage: SiteStorage;
  readonly fetchFile: FetchFile;
  /** The version of the file formats. */
  readonly format: number;
  /**
   * The pages and the files that they load, which are stored together with the data.
   * Empty in an app's worker, because apps do not use our pages.
   */
  readonly pageFiles: readonly string[];
  /**
   * Whether to download a site if none is stored. False on our own pages, where a
   * missing site means that the user has switched off offline storage.
   */
  readonly mayStart: boolean;
}

const CHECK_INTERVAL_MS = 5 * 60 * 1000;

export function createLibrary(options: LibraryOptions): Library {
  const { storage, fetchFile, format } = options;
  /**
   * The site stays in memory, so that responses never mix two versions, even if another
   * worker replaces it in the meantime.
   */
  let current: StoredSite | undefined;
  let lastCheck = 0;
  let runningRefresh: Promise<void> | undefined;

  async function read(): Promise<StoredSite | undefined> {
    if (current) return current;
    try {
      const stored = await storage.find();
      // A download may have completed in the meantime, and its site is newer.
      current ??= stored;
    } catch {
      // If the browser's storage fails, requests must still reach the network.
    }
    return current;
  }

  function refresh(): Promise<void> {
    // If the last check was recent, only wait for it in case it is still running.
    if (isRecent(lastCheck)) return runningRefresh ?? Promise.resolve();
    lastCheck = Date.now();
    runningRefresh = refreshNow().finally(() => {
      runningRefresh = undefined;
    });
    return runningRefresh;
  }

  async function refreshNow(): Promise<void> {
    const stored = await storage.find();
    if (!stored) {
      if (options.mayStart) await download();
      return;
    }
    // Browsers terminate idle workers, so the time of the last check is also stored.
    if (isRecent(await stored.readCheckTime())) return;
    await stored.saveCheckTime(Date.now());
    const metaBody = await fetchFile(META_FILE);
    if (!hasSameBytes(metaBody, stored.metaBody)) await store(metaBody, stored);
  }

  async function download(): Promise<void> {
    await store(await fetchFile(META_FILE), await storage.find());
  }

  async function store(
    metaBody: Bytes,
    previous: StoredSite | undefined,
  ): Promise<void> {
    const meta = parseMeta(metaBody, format);
    const names = previous ? await listUsedNames(previous, meta) : [];
    const otherFiles = [...options.pageFiles, ...names];
    const files = await downloadFiles(fetchFile, meta, otherFiles);
    current = await storage.save(files, metaBody);
  }

  return { read, refresh, download };
}

/** The clock may have been set back, so a time in the future is not recent. */
function isRecent(time: number): boolean {
  const age = Date.now() - time;
  return age >= 0 && age < CHECK_INTERVAL_MS;
}

const hasSameBytes = (one: Bytes, other: Bytes): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

/**
 * Lists the files in `names/` to store again with a new version of the site: those that
 * are already stored, because a page used them, and that the site still has.
 */
async function listUsedNames(
  stored: StoredSite,
  { names }: OfflineMeta,
): Promise<string[]> {
  const languages = Object.keys(names?.languages ?? {});
  const namesFiles = languages.map(namesFile);
  const storedFiles = await stored.listFiles();
  return storedFiles.filter((file) => namesFiles.includes(file));
}
