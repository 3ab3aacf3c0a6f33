import type { Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { encodeBody, type Meta, type SiteFile } from '../contract/meta.ts';
import { getBasePath, MANIFEST_FILE, STAGED_FOLDER } from '../contract/paths.ts';
import { GamedataError } from '../errors.ts';
import { readStatus } from '../files.ts';
import { isHostConfig } from '../hosts/index.ts';
import { sha256 } from '../sha256.ts';
import { findCommittedManifest, openSite, type SiteFolder } from '../site-folder.ts';
import { type Asset, createResponder, type Responder } from './handler/index.ts';

/** A site in memory. It contains exactly the files that its manifest lists. */
export interface ServedSite {
  readonly meta: Meta;
  /** The path of the base URL, without a trailing slash. */
  readonly base: string;
  /** The time of the last build, in the format of HTTP headers. */
  readonly lastModified: string;
  readonly respond: Responder;
}

/** The interval for checking whether a build has replaced the site. */
const CHECK_MS = 1000;
/** How many files to read before letting the server handle requests again. */
const FILES_AT_ONCE = 50;

interface WatchOptions {
  /**
   * The base URL under which to serve the site. If undefined, the files in the folder
   * are served as they are.
   */
  readonly baseUrl: string | undefined;
  /** Called with one line if the next site cannot be loaded. */
  readonly onProblem: (line: string) => void;
  /** Stops watching the folder. */
  readonly signal: AbortSignal;
}

/**
 * Loads the site in a folder. Then checks its manifest once a second until the signal
 * aborts, and loads each new site as soon as it is complete. Until then, the previous
 * site is still served.
 *
 * @returns a function that returns the last complete site
 * @throws GamedataError if there is no complete site in the folder
 */
export async function watchSite(
  folder: string,
  { baseUrl, onProblem, signal }: WatchOptions,
): Promise<() => ServedSite> {
  let version = readVersion(folder);
  let site = await loadSite(folder, baseUrl);

  async function loadIfReplaced(): Promise<void> {
    const currentVersion = readVersion(folder);
    if (currentVersion === version) return;
    site = await loadSite(folder, baseUrl);
    version = currentVersion;
  }

  async function checkOnceASecond(): Promise<void> {
    let isReported = false;
    for (;;) {
      await setTimeout(CHECK_MS, undefined, { signal });
      try {
        await loadIfReplaced();
        isReported = false;
      } catch (error) {
        const problem = (error as Error).message;
        // A broken site is reported once, not once a second.
        if (!isReported) onProblem(`${problem}. The previous site is still served.`);
        isReported = true;
      }
    }
  }
  // The loop ends only when the signal aborts, and that error is expected.
  checkOnceASecond().catch(() => {});
  return () => site;
}

/**
 * Reads the status of the current manifest, which a build replaces last. A staged
 * manifest already counts as current, and moving it into place does not make it a
 * different file.
 */
function readManifestStatus(folder: string): Stats | undefined {
  const isStaged = findCommittedManifest(folder) === MANIFEST_FILE;
  const manifestFolder = isStaged ? path.join(folder, STAGED_FOLDER) : folder;
  return readStatus(path.join(manifestFolder, MANIFEST_FILE));
}

/** Identifies the current manifest. The value changes when the manifest is replaced. */
function readVersion(folder: string): string | undefined {
  const status = readManifestStatus(folder);
  return status && `${status.ino}:${status.mtimeMs}:${status.size}`;
}

/**
 * Loads the site in a folder. Without a base URL, its files are served as they are.
 * Otherwise, the site is regenerated in memory, with its own manifest.
 *
 * @throws GamedataError if there is no site, or if any file differs from the manifest
 */
async function loadSite(
  folder: string,
  baseUrl: string | undefined,
): Promise<ServedSite> {
  const manifestStatus = readManifestStatus(folder);
  if (!manifestStatus) {
    const hint = 'Build a site first with npm run build, or name its folder.';
    throw new GamedataError('output', `${folder}: contains no site`, { hint });
  }
  const site = openSite(folder);
  const files = await readFiles(site);
  if (baseUrl === undefined) {
    files.push({ path: MANIFEST_FILE, body: site.manifestBody });
    return createServedSite(site.meta, files, manifestStatus.mtime);
  }
  // We import the code that renders pages on demand, because it is needed only here.
  const { changeBaseUrl } = await import('./change-base-url.ts');
  const changed = await changeBaseUrl(site, files, baseUrl);
  // These files were generated just now, so they are newer than the folder's manifest.
  return createServedSite(changed.meta, changed.files, new Date());
}

/** Reads the files that hosts serve, except for the manifest. */
async function readFiles(site: SiteFolder): Promise<SiteFile[]> {
  const files: SiteFile[] = [];
  for (const file of site.entries.keys()) {
    if (isHostConfig(file)) continue;
    // The pause lets the server handle requests.
    if (files.length % FILES_AT_ONCE === 0) await setImmediate();
    files.push({ path: file, body: site.read(file) });
  }
  return files;
}

function createServedSite(
  meta: Meta,
  files: readonly SiteFile[],
  modified: Date,
): ServedSite {
  const assets = new Map<string, Asset>();
  for (const file of files) assets.set(file.path, createAsset(file));
  const base = getBasePath(meta.base_url);
  const respond = createResponder({ get: async (file) => assets.get(file) }, base);
  return { meta, base, lastModified: modified.toUTCString(), respond };
}

function createAsset(file: SiteFile): Asset {
  // The handler also runs outside Node, so it gets plain bytes instead of a `Buffer`.
  const body = new Uint8Array(encodeBody(file));
  // A shortened digest still identifies the content, and fits on narrow screens.
  return { body, etag: `"${sha256(body).slice(0, 24)}"` };
}
