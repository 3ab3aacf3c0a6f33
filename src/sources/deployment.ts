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
import { GamedataError } from '../errors.ts';
import { decodeJson, InvalidBodyError } from '../http/body.ts';
import type { HttpClient } from '../http/client.ts';
import type { SourceContext } from './source.ts';

const MIXED = 'Try again later. The deployment may be partly cached or still updating.';
const MAX_DEPLOYS = 3;

/**
 * Reads a deployment's files from a single build. Starts over if the deployment is replaced in the meantime.
 *
 * @throws UpstreamError if a file cannot be fetched or differs from the manifest, OutputError if a file is too large or the
 * manifest is not from a gamedata build
 */
export async function deploymentStorage(
  client: HttpClient,
  address: string,
  wanted: WantedFiles,
): Promise<SiteStorage> {
  let manifest = await fetchManifest(client, address);
  for (let deploys = 0; ; deploys++) {
    try {
      return await fetchFiles(client, address, manifest, wanted);
    } catch (error) {
      if (!(error instanceof GamedataError) || deploys === MAX_DEPLOYS) throw error;
      const now = await fetchManifest(client, address).catch(() => manifest);
      if (now.equals(manifest)) throw error;
      manifest = now;
    }
  }
}

async function fetchManifest(client: HttpClient, address: string): Promise<Buffer> {
  const decode = (bytes: Buffer): Buffer => {
    // Invalid JSON may be transient.
    decodeJson(bytes);
    return bytes;
  };
  const options = { maxBytes: getMaxBytes(MANIFEST_FILE), followsRedirects: true };
  return (await client.get(`${address}/${MANIFEST_FILE}`, decode, options)).value;
}

type WantedFiles = Pick<SourceContext, 'previous' | 'hasIcons' | 'hasNames' | 'onProgress'>;

async function fetchFiles(
  client: HttpClient,
  address: string,
  manifest: Buffer,
  { previous, hasIcons, hasNames = true, onProgress }: WantedFiles,
): Promise<SiteStorage> {
  const files = new Map([[MANIFEST_FILE, manifest]]);
  const storage = memoryStorage(address, '/', files);
  const listed = readManifest(storage).files;
  let done = 0;
  let total = 0;
  const report = (): void =>
    onProgress?.({ done, total, requests: client.stats, waiting: client.getRetryStatus });
  const fetchAll = async (entries: readonly ManifestEntry[]): Promise<void> => {
    assertSize(storage, entries);
    const fetchEntry = async (entry: ManifestEntry): Promise<void> => {
      const published = readPublished(previous, entry);
      files.set(entry.path, published ?? (await fetchFile(client, address, entry)));
      done++;
      report();
    };
    await Promise.all(entries.map(fetchEntry));
  };
  report();
  await fetchAll(listed.filter(({ path }) => path === META_FILE));
  const meta = metaReader.safeParse(parseJson(`${files.get(META_FILE)}`)).data;
  const needsRecords = meta?.digest !== previous?.digest || previous?.records() === undefined;
  const isWanted = ({ path }: ManifestEntry): boolean =>
    (needsRecords && isListPage(path)) ||
    [FORMER_FILE, CHANGES_FILE].includes(path) ||
    (path.startsWith(ICONS_FOLDER) && hasIcons?.(meta) === true) ||
    (path.startsWith(NAMES_FOLDER) && path !== NAMES_INDEX_FILE && hasNames);
  const wanted = listed.filter(isWanted);
  total = done + wanted.length;
  report();
  await fetchAll(wanted);
  return storage;
}

const readPublished = (site: PreviousSite | undefined, { path, sha256 }: ManifestEntry) =>
  site?.entries.get(path)?.sha256 === sha256
    ? ignoreDamage(() => readVerified(site.storage, site.entries, path))
    : undefined;

const isListPage = (file: string): boolean =>
  kindNames.some(
    (kind) =>
      file === listPageFile(kind, 0) || file.startsWith(`${listPath(kind).slice(1)}offset/`),
  );

async function fetchFile(
  client: HttpClient,
  address: string,
  entry: ManifestEntry,
): Promise<Buffer> {
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    const problem = findMismatch(entry, body, 'got');
    if (problem === undefined) return body;
    throw new InvalidBodyError(problem, undefined, MIXED);
  };
  return (await client.get(url, decode, { maxBytes: entry.bytes, followsRedirects: true })).value;
}
