import { ignoreDamage } from '../built/damage.ts';
import { readManifest } from '../built/own-files.ts';
import type { PreviousSite } from '../built/previous-site.ts';
import { assertSize, memoryStorage, type SiteStorage } from '../built/storage.ts';
import { findMismatch, readVerified } from '../built/verified-files.ts';
import { kindNames } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { type ManifestEntry, metaReader } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  ICONS_FOLDER,
  listPageFile,
  listPath,
  MANIFEST_FILE,
  META_FILE,
  NAMES_FOLDER,
  NAMES_INDEX_FILE,
} from '../contract/paths.ts';
import { DataError, GamedataError } from '../errors.ts';
import { decodeJson } from '../upstream/body.ts';
import type { AcceptableResponse, Client } from '../upstream/client.ts';
import type { SourceContext } from '../upstream/source.ts';

const MAX_DEPLOYS = 3;

/** The part of the context that decides which files of a deployment a copy needs. */
type WantedFiles = Pick<
  SourceContext,
  'previous' | 'hasIcons' | 'hasNames' | 'onProgress'
>;

/**
 * Reads a deployment's files into memory, all from a single build.
 *
 * The manifest lists each file with its hash. If a file cannot be fetched or has a
 * different hash, the manifest is fetched again. If the manifest has changed, a new
 * build has just been deployed, so all files are fetched again.
 *
 * @throws UpstreamError if a file cannot be fetched or does not match the manifest
 * @throws OutputError if a file is too large, or gamedata did not create the
 * manifest
 */
export async function deploymentStorage(
  client: Client,
  address: string,
  wanted: WantedFiles,
): Promise<SiteStorage> {
  let manifest = await fetchManifest(client, address);
  for (let deploys = 0; ; deploys++) {
    try {
      return await fetchFiles({ client, address, manifest }, wanted);
    } catch (error) {
      const isExpected = error instanceof GamedataError;
      if (!isExpected || deploys === MAX_DEPLOYS) throw error;
      const currentManifest = await fetchManifest(client, address).catch(
        () => manifest,
      );
      if (currentManifest.equals(manifest)) throw error;
      manifest = currentManifest;
    }
  }
}

async function fetchManifest(client: Client, address: string): Promise<Buffer> {
  const accept = ({ body }: AcceptableResponse): Buffer => {
    // Invalid JSON may be a temporary error, so the client retries the request.
    decodeJson(body);
    return body;
  };
  const options = { maxBytes: getMaxBytes(MANIFEST_FILE) };
  return client.get(`${address}/${MANIFEST_FILE}`, accept, options);
}

/** A single build that is served at an address. */
interface Deployment {
  readonly client: Client;
  readonly address: string;
  readonly manifest: Buffer;
}

/**
 * Fetches `meta.json` first, because it decides which other files the copy needs.
 * List pages are fetched only if the published site has different data. Whether
 * icons are fetched depends on the site's link style.
 */
async function fetchFiles(
  { client, address, manifest }: Deployment,
  { previous, hasIcons, hasNames = true, onProgress }: WantedFiles,
): Promise<SiteStorage> {
  const files = new Map([[MANIFEST_FILE, manifest]]);
  const storage = memoryStorage(address, '/', files);
  const allEntries = readManifest(storage).files;
  let done = 0;
  let total = 0;

  function report(): void {
    onProgress?.({ done, total, requests: client.stats });
  }

  async function addFile(entry: ManifestEntry): Promise<void> {
    const publishedFile = readPublished(previous, entry);
    const file = publishedFile ?? (await fetchFile(client, address, entry));
    files.set(entry.path, file);
    done++;
    report();
  }

  report();
  const metaEntries = allEntries.filter(({ path }) => path === META_FILE);
  assertSize(storage, metaEntries);
  await Promise.all(metaEntries.map(addFile));

  // We ignore an invalid file here, because opening the site reports it.
  const meta = metaReader.safeParse(parseJson(`${files.get(META_FILE)}`)).data;
  const hasSameData = meta?.digest === previous?.digest;
  const needsRecords = !hasSameData || previous?.records() === undefined;
  const needs: Needs = {
    records: needsRecords,
    icons: hasIcons?.(meta) === true,
    names: hasNames,
  };
  const wantedEntries = allEntries.filter(({ path }) => isNeeded(path, needs));
  assertSize(storage, wantedEntries);
  total = done + wantedEntries.length;
  report();
  await Promise.all(wantedEntries.map(addFile));
  return storage;
}

/**
 * The optional parts of a site that a copy needs. It always needs the history and
 * the old slugs.
 */
interface Needs {
  readonly records: boolean;
  readonly icons: boolean;
  readonly names: boolean;
}

function isNeeded(path: string, needs: Needs): boolean {
  if (path === FORMER_FILE || path === CHANGES_FILE) return true;
  if (path === NAMES_INDEX_FILE) return false;
  if (path.startsWith(NAMES_FOLDER)) return needs.names;
  if (path.startsWith(ICONS_FOLDER)) return needs.icons;
  return isListPage(path) && needs.records;
}

/**
 * Reads a file from the published site, if that site has an undamaged file with the
 * same hash.
 */
function readPublished(
  site: PreviousSite | undefined,
  { path, sha256 }: ManifestEntry,
): Buffer | undefined {
  const hasSameFile = site?.entries.get(path)?.sha256 === sha256;
  if (!site || !hasSameFile) return undefined;
  return ignoreDamage(() => readVerified(site.storage, site.entries, path));
}

function isListPage(file: string): boolean {
  return kindNames.some((kind) => {
    const laterPages = `${listPath(kind).slice(1)}offset/`;
    return file === listPageFile(kind, 0) || file.startsWith(laterPages);
  });
}

async function fetchFile(
  client: Client,
  address: string,
  entry: ManifestEntry,
): Promise<Buffer> {
  const encodedPath = entry.path.split('/').map(encodeURIComponent).join('/');
  const accept = ({ body }: AcceptableResponse): Buffer => {
    const problem = findMismatch(entry, body, 'got');
    if (problem === undefined) return body;
    throw new DataError(problem, {});
  };
  return client.get(`${address}/${encodedPath}`, accept, { maxBytes: entry.bytes });
}
