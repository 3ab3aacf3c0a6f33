/** Reads a deployment: its manifest and the files that the manifest lists. */

import { hash } from 'node:crypto';
import { kindNames } from '../../contract/kinds.ts';
import { getMaxBytes } from '../../contract/limits.ts';
import { type Manifest, type ManifestEntry, type Meta, metaReader } from '../../contract/meta.ts';
import { parseJson } from '../../contract/parse.ts';
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
} from '../../contract/paths.ts';
import { GamedataError } from '../../errors.ts';
import { decodeJson, InvalidBodyError } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';
import { type LocalSite, readManifest } from './read.ts';
import { assertSize, memoryStorage, type SiteStorage } from './storage.ts';

const MIXED = 'Try again later. The deployment may be partly cached or still updating.';
const MAX_DEPLOYS = 3;

const isListPage = (file: string): boolean =>
  kindNames.some(
    (kind) => file === listPageFile(kind, 0) || file.startsWith(`${listPath(kind).slice(1)}offset/`),
  );

export const isSourceFile = (
  file: string,
  wanted: { hasRecords: boolean; hasIcons?: boolean | undefined; hasNames?: boolean | undefined },
): boolean =>
  (wanted.hasRecords && isListPage(file)) ||
  [FORMER_FILE, CHANGES_FILE].includes(file) ||
  (wanted.hasIcons === true && file.startsWith(ICONS_FOLDER)) ||
  (wanted.hasNames !== false && file.startsWith(NAMES_FOLDER) && file !== NAMES_INDEX_FILE);

interface Selection {
  /** @param meta undefined if `meta.json` is missing or invalid */
  select(meta: Meta | undefined): (file: string) => boolean;
  readonly local?: LocalSite | undefined;
}

/**
 * Reads a deployment's files from a single build. Starts over if the deployment is replaced in the meantime.
 *
 * @throws UpstreamError if a file cannot be fetched or differs from the manifest, OutputError if a file is too large or the
 * manifest is not from a gamedata build
 */
export async function deploymentStorage(
  client: HttpClient,
  address: string,
  selection: Selection,
): Promise<SiteStorage> {
  let manifest = await fetchManifest(client, address);
  for (let deploys = 0; ; deploys++) {
    try {
      return await fetchFiles(client, address, manifest, selection);
    } catch (error) {
      if (!(error instanceof GamedataError) || deploys === MAX_DEPLOYS) throw error;
      const now = await fetchManifest(client, address).catch(() => manifest);
      if (JSON.stringify(now) === JSON.stringify(manifest)) throw error;
      manifest = now;
    }
  }
}

async function fetchManifest(client: HttpClient, address: string): Promise<Manifest> {
  const decode = (bytes: Buffer): Buffer => {
    // Invalid JSON may be transient.
    decodeJson(bytes);
    return bytes;
  };
  const options = { maxBytes: getMaxBytes(MANIFEST_FILE), followsRedirects: true };
  const { value } = await client.get(`${address}/${MANIFEST_FILE}`, decode, options);
  return readManifest(createStorage(address, new Map([[MANIFEST_FILE, value]])));
}

const createStorage = (address: string, files: ReadonlyMap<string, Buffer>): SiteStorage =>
  memoryStorage(address, files, (file) => `${address}/${file}`);

async function fetchFiles(
  client: HttpClient,
  address: string,
  manifest: Manifest,
  { select, local }: Selection,
): Promise<SiteStorage> {
  const read = async (entry: ManifestEntry) => local?.read(entry) ?? fetchFile(client, address, entry);
  const files = new Map<string, Buffer>([[MANIFEST_FILE, Buffer.from(JSON.stringify(manifest))]]);
  const metaEntry = manifest.files.find(({ path }) => path === META_FILE);
  if (metaEntry) files.set(META_FILE, await read(metaEntry));
  const isWanted = select(metaReader.safeParse(parseJson(`${files.get(META_FILE)}`)).data);
  const wanted = manifest.files.filter((entry) => entry !== metaEntry && isWanted(entry.path));
  assertSize(createStorage(address, files), wanted);
  const bodies = await Promise.all(wanted.map(async (entry) => [entry.path, await read(entry)] as const));
  return createStorage(address, new Map([...files, ...bodies]));
}

async function fetchFile(client: HttpClient, address: string, entry: ManifestEntry): Promise<Buffer> {
  assertSize(createStorage(address, new Map()), [entry]);
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    const sha256 = hash('sha256', body);
    if (body.length === entry.bytes && sha256 === entry.sha256) return body;
    const [got, expected] =
      body.length === entry.bytes
        ? [`SHA-256 ${sha256}`, entry.sha256]
        : [`${body.length} bytes`, entry.bytes];
    throw new InvalidBodyError(`got ${got}, expected ${expected}, as in the manifest`, undefined, MIXED);
  };
  return (await client.get(url, decode, { maxBytes: entry.bytes, followsRedirects: true })).value;
}
