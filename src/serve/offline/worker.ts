/**
 * The offline worker. Apps import it into their own service worker, and the site's
 * pages register it. It answers API requests from a stored copy of the data set. On the
 * site's own pages, it also answers requests for these pages and for the files that
 * they load.
 *
 * It never calls `skipWaiting` or `clients.claim`, because it must not decide when an
 * app's new worker takes over.
 */

import {
  DATE_HEADER,
  getCachePrefix,
  type OfflineSite,
} from '../../contract/offline.ts';
import {
  API_PREFIX,
  META_FILE,
  NAMES_FOLDER,
  OFFLINE_FILE,
  removeTrailingSlashes,
} from '../../contract/paths.ts';
import type { Bytes } from '../handler/asset-store.ts';
import { createHandler } from '../handler/index.ts';
import { prefersPage, readFormat, resolveTarget } from '../handler/request.ts';
import { createLibrary } from './library.ts';
import { createSiteStorage, type StoredSite } from './site-storage.ts';
import type { WorkerScope } from './worker-scope.ts';

/** The build inserts this constant before the script. */
declare const gamedataSite: OfflineSite;
declare const self: WorkerScope;

/** The time after which the stored data is used instead of the network. */
const NETWORK_LIMIT_MS = 3000;
const DOWNLOAD_LIMIT_MS = 60_000;

const { format, pageFiles, supportsAnyPageRange } = gamedataSite;
// Browsers normalize URLs: they lowercase the host and omit the default port.
const baseUrl = removeTrailingSlashes(new URL(gamedataSite.baseUrl).href);
const basePath = removeTrailingSlashes(new URL(baseUrl).pathname);
const apiUrl = baseUrl + API_PREFIX;

/**
 * Whether the site's own pages registered this script. Otherwise, an app imported it.
 */
const isOwnWorker = self.location.href === `${baseUrl}/${OFFLINE_FILE}`;

const library = createLibrary({
  storage: createSiteStorage({
    caches: self.caches,
    baseUrl,
    prefix: getCachePrefix(baseUrl, isOwnWorker ? 'site' : 'data'),
    format,
  }),
  fetchFile,
  format,
  pageFiles: isOwnWorker ? pageFiles : [],
  mayStart: !isOwnWorker,
});

async function fetchFile(file: string): Promise<Bytes> {
  const response = await self.fetch(`${baseUrl}/${file}`, {
    cache: 'no-cache',
    signal: AbortSignal.timeout(DOWNLOAD_LIMIT_MS),
  });
  if (response.status === 200) return new Uint8Array(await response.arrayBuffer());
  throw new Error(`${file}: got status ${response.status}, expected 200`);
}

self.addEventListener('install', (event) => {
  // If the download fails, so does the installation, and the switch on our pages
  // reports that the site could not be stored.
  if (isOwnWorker) event.waitUntil(library.download());
  // Our download must not delay an app's installation or make it fail.
  else library.refresh().catch(ignore);
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const isApi = request.url.startsWith(apiUrl);
  if (!isApi && !isPageFile(request)) return;
  const refresh = library.refresh().catch(ignore);
  event.waitUntil(refresh);
  event.respondWith(isApi ? respondToApi(request, refresh) : respondToPage(request));
});

/** A failed refresh is retried later. Until then, the stored data is used. */
function ignore(): void {}

/**
 * Returns whether the request is for one of our pages, or for a file that they load.
 */
function isPageFile({ method, url }: Request): boolean {
  if (!isOwnWorker || method !== 'GET' || !url.startsWith(`${baseUrl}/`))
    return false;
  const file = findFile(url);
  if (file === META_FILE || file.startsWith(NAMES_FOLDER)) return true;
  return pageFiles.includes(file);
}

/** Returns the file at a URL, or an empty string if no file can have this URL. */
function findFile(url: string): string {
  const target = resolveTarget(new URL(url).pathname, basePath);
  return target.type === 'file' ? target.file : '';
}

/**
 * Responds to a request for the API. If the host supports every page range, we try the
 * network first. Other hosts would respond with the wrong page of a list, so we use the
 * stored data, and wait for it if nothing is stored yet.
 */
async function respondToApi(
  request: Request,
  refresh: Promise<void>,
): Promise<Response> {
  let stored = await library.read();
  if (!stored && !supportsAnyPageRange) {
    await refresh;
    stored = await library.read();
  }
  if (!stored) return fetch(request);
  if (!supportsAnyPageRange) return respondFromStore(stored, request);
  const response = await askNetwork(request);
  const isUsable = response && isApiResponse(request, response);
  return isUsable ? response : respondFromStore(stored, request);
}

/**
 * Responds to a request for a page or one of its files. We try the network first, so
 * that pages match their scripts. Names are stored when a page uses them.
 */
async function respondToPage(request: Request): Promise<Response> {
  const stored = await library.read();
  if (!stored) return fetch(request);
  const response = await askNetwork(request);
  if (!response || response.status >= 500) return respondFromStore(stored, request);
  const file = findFile(request.url);
  const isNames = file.startsWith(NAMES_FOLDER) && response.status === 200;
  if (isNames) await storeNames(stored, file, response.clone());
  return response;
}

async function storeNames(
  stored: StoredSite,
  file: string,
  response: Response,
): Promise<void> {
  try {
    await stored.addFile(file, new Uint8Array(await response.arrayBuffer()));
  } catch {
    // Storage may be full. The page can use the names anyway.
  }
}

/**
 * Sends a request to the network. Returns undefined if the request fails or gets no
 * response within three seconds.
 */
async function askNetwork(request: Request): Promise<Response | undefined> {
  const limit = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), NETWORK_LIMIT_MS);
  });
  try {
    return await Promise.race([fetch(request), limit]);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a response may come from the API, as opposed to a failing host or a
 * captive portal, such as a hotel's.
 */
function isApiResponse(request: Request, response: Response): boolean {
  if (response.status >= 500) return false;
  // Browsers hide the details of a redirect that the page then follows itself.
  if (response.type === 'opaqueredirect') return true;
  // These responses have no body, so they have no media type.
  if (response.status === 204 || response.status === 304) return true;
  const type = response.headers.get('Content-Type') ?? '';
  if (type.startsWith('application/json')) return true;
  return type.startsWith('text/html') && requestsPage(request);
}

function requestsPage({ url, headers }: Request): boolean {
  const requestFormat = readFormat(new URL(url).searchParams);
  return prefersPage(requestFormat, headers.get('Accept'));
}

/**
 * Responds from the stored site as the request handler would, and adds a header with
 * the date of the data.
 */
async function respondFromStore(
  { store, meta }: StoredSite,
  request: Request,
): Promise<Response> {
  const response = await createHandler(store, basePath)(request);
  const exposedHeaders = response.headers.get('Access-Control-Expose-Headers');
  response.headers.set(
    'Access-Control-Expose-Headers',
    `${exposedHeaders}, ${DATE_HEADER}`,
  );
  response.headers.set(DATE_HEADER, meta.captured);
  return response;
}
