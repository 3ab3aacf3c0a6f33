import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { kindNames } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import {
  type ManifestEntry,
  type Meta,
  manifestReader,
  metaReader,
} from '../contract/meta.ts';
import { parseOptional } from '../contract/parse.ts';
import {
  encodePath,
  getBasePath,
  isServed,
  MANIFEST_FILE,
  META_FILE,
  parseRecordFile,
} from '../contract/paths.ts';
import { formatCount } from '../contract/words.ts';
import { findMismatch } from '../data/entries.ts';
import { DataError, GamedataError } from '../errors.ts';
import { isHostConfig } from '../hosts/index.ts';
import type { SiteFolder } from '../site-folder.ts';
import { MAX_BODY_BYTES } from '../upstream/body.ts';
import { closeOnAbort } from '../upstream/client.ts';
import { createProbe, type Probe, type ProbeResponse } from '../upstream/probe.ts';
import type { OnVerifyProgress } from './progress.ts';

/**
 * The minimum time limit for a request, which also applies to requests that start
 * shortly before the deadline.
 */
const MIN_REQUEST_MS = 30_000;

interface AwaitOptions {
  readonly site: SiteFolder;
  readonly concurrency: number;
  /**
   * Milliseconds since 1970. If undefined, the site is checked only once, without a
   * time limit.
   */
  readonly deadline: number | undefined;
  readonly minRequestMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called whenever the first difference changes. */
  readonly onWait?: ((line: string) => void) | undefined;
  readonly onProgress?: OnVerifyProgress | undefined;
}

/**
 * Fetches a file from the deployment.
 *
 * @throws DataError if the status is not 200
 */
type FetchFile = (file: string, maxBytes: number) => Promise<ProbeResponse>;

/** The pause between comparisons doubles from the first value up to the last one. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;

/**
 * Waits until a deployment serves a built site's files. Compares the manifest first,
 * because it shows whether the deployment serves another build. Then compares the
 * files that have not matched yet. Skips the files for individual records, because
 * the guarantees check those.
 *
 * @throws DataError if the deployment does not serve the site by the deadline
 */
export async function awaitSite(
  address: string,
  options: AwaitOptions,
): Promise<void> {
  const {
    site,
    concurrency,
    deadline,
    minRequestMs = MIN_REQUEST_MS,
    signal,
    onWait,
  } = options;
  const started = performance.now();

  async function waitForSite(probe: Probe): Promise<void> {
    const fetchFile: FetchFile = (file, maxBytes) => {
      if (deadline === undefined) return fetchFrom(probe, file, maxBytes, undefined);
      const leftMs = deadline - Date.now();
      return fetchFrom(probe, file, maxBytes, Math.max(minRequestMs, leftMs));
    };
    const pending = new Set(listComparedFiles(site));
    const total = pending.size;
    const reportProgress = (): void => {
      const done = total - pending.size;
      options.onProgress?.({ done, total, requests: probe.stats, started });
    };

    let reportedMessage: string | undefined;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const difference = await findDifference(
        fetchFile,
        site,
        pending,
        reportProgress,
      );
      if (!difference) return;
      const { message, hint } = difference;
      const leftMs = (deadline ?? 0) - Date.now();
      if (leftMs <= 0) {
        const problem = `does not serve the site in ${site.name}: ${message}`;
        throw new DataError(problem, { record: address }, { hint });
      }
      if (message !== reportedMessage) {
        onWait?.(`waiting for ${address}: ${message}`);
      }
      reportedMessage = message;
      await sleep(Math.min(pauseMs, leftMs), undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    }
  }

  await closeOnAbort(createProbe(address, { concurrency }), signal, waitForSite);
}

/**
 * Lists the files that every host serves unchanged, except for the files for
 * individual records.
 */
function listComparedFiles({ manifest, meta }: SiteFolder): ManifestEntry[] {
  const base = getBasePath(meta.base_url);
  const compared: ManifestEntry[] = [];
  for (const entry of manifest.files) {
    const isDeployed = isServed(entry.path, base) && !isHostConfig(entry.path);
    const isRecord = parseRecordFile(entry.path) !== undefined;
    if (isDeployed && !isRecord) compared.push(entry);
  }
  return compared;
}

/**
 * Compares the manifest first, and then all pending files concurrently.
 *
 * @param pending the files that have not matched yet. Files that match are removed
 * from this set.
 * @returns the first difference, or undefined if everything matches
 */
async function findDifference(
  fetchFile: FetchFile,
  site: SiteFolder,
  pending: Set<ManifestEntry>,
  reportProgress: () => void,
): Promise<GamedataError | undefined> {
  async function compareFile(entry: ManifestEntry): Promise<void> {
    const { body } = await fetchFile(
      entry.path,
      Math.max(MAX_BODY_BYTES, entry.bytes),
    );
    const problem = findMismatch(entry, body);
    if (problem !== undefined) throw new DataError(problem, { record: entry.path });
    pending.delete(entry);
    if (pending.size > 0) reportProgress();
  }
  try {
    await compareManifest(fetchFile, site);
    reportProgress();
    await Promise.all([...pending].map(compareFile));
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return error;
    throw error;
  }
}

/**
 * Compares the manifest. If it differs, also fetches `meta.json`, because an error
 * that describes the served data is more helpful than a hash.
 *
 * @throws DataError if the deployment serves other data or another build
 */
async function compareManifest(
  fetchFile: FetchFile,
  site: SiteFolder,
): Promise<void> {
  const fetchedManifest = await fetchFile(MANIFEST_FILE, getMaxBytes(MANIFEST_FILE));
  const servedManifest = parseOptional(manifestReader, fetchedManifest.json);
  const servedFiles = JSON.stringify(servedManifest?.files);
  if (servedFiles === JSON.stringify(site.manifest.files)) return;
  const fetchedMeta = await fetchFile(META_FILE, getMaxBytes(META_FILE));
  const servedMeta = parseOptional(metaReader, fetchedMeta.json);
  if (!servedMeta || servedMeta.digest === site.meta.digest) {
    throw new DataError('is from a different build', { record: MANIFEST_FILE });
  }
  const got = describeData(servedMeta);
  const expected = describeData(site.meta);
  throw new DataError(`serves ${got}, expected ${expected}`, {});
}

function describeData({ digest, captured, counts }: Meta): string {
  const described = kindNames.map((kind) => formatCount(counts[kind], kind));
  return `${digest.slice(0, 19)}… from ${captured}, ${described.join(', ')}`;
}

/**
 * Fetches a file. Follows one redirect within the deployment, because some hosts
 * redirect `/docs/index.html` to `/docs/`.
 *
 * @param totalMs the time limit for each request, or undefined for no limit
 */
async function fetchFrom(
  probe: Probe,
  file: string,
  maxBytes: number,
  totalMs: number | undefined,
): Promise<ProbeResponse> {
  const path = `/${encodePath(file)}`;
  let response = await probe.send({ path, maxBytes, totalMs });
  const target = resolveLocation(probe.address, path, response.header('location'));
  if (response.status !== 200 && target !== undefined) {
    response = await probe.send({ path: target, maxBytes, totalMs });
  }
  if (response.status === 200) return response;
  throw new DataError(`got status ${response.status}, expected 200`, {
    record: file,
  });
}

/**
 * Returns the path of a redirect's target, relative to the deployment's address.
 * Returns undefined if the target is outside the deployment.
 */
function resolveLocation(
  address: string,
  path: string,
  location = '',
): string | undefined {
  const url = address + path;
  if (location === '' || !URL.canParse(location, url)) return undefined;
  const { href } = new URL(location, url);
  return href.startsWith(`${address}/`) ? href.slice(address.length) : undefined;
}
