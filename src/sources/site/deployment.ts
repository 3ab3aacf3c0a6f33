/** A deployment: its manifest, and the files that the manifest lists. */

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
import { GamedataError, UpstreamError } from '../../errors.ts';
import { decodeJson, InvalidBodyError } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';
import type { LocalSite } from './local.ts';
import { readManifest } from './read.ts';
import { assertSize, memoryStorage, type SiteStorage } from './storage.ts';

const MIXED = 'It may be served partly from caches, or be replaced just now: try again later.';
/** `serve` and others redirect `/index.html` to `/`. */
const MAX_REDIRECTS = 3;

/** @throws UpstreamError if it cannot be fetched, OutputError if it is not the manifest of a gamedata build */
export async function fetchManifest(client: HttpClient, address: string): Promise<Manifest> {
  const url = `${address}/${MANIFEST_FILE}`;
  // What is no JSON may be another time.
  const decode = (bytes: Buffer): Buffer => {
    decodeJson(bytes);
    return bytes;
  };
  const body = await get(client, url, { decode, maxBytes: getMaxBytes(MANIFEST_FILE) });
  return readManifest(toStorage(address, new Map([[MANIFEST_FILE, body]])));
}

const toStorage = (address: string, files: ReadonlyMap<string, Buffer>): SiteStorage =>
  memoryStorage(address, files, (file) => `${address}/${file}`);

const hasRecords = (file: string): boolean =>
  kindNames.some(
    (kind) => file === listPageFile(kind, 0) || file.startsWith(`${listPath(kind).slice(1)}offset/`),
  );

/** Whether a file is read if its site is a source. */
export const isSource = (
  file: string,
  wanted: { hasRecords: boolean; hasIcons?: boolean | undefined; hasNames?: boolean | undefined },
): boolean =>
  (wanted.hasRecords && hasRecords(file)) ||
  [FORMER_FILE, CHANGES_FILE].includes(file) ||
  (wanted.hasIcons === true && file.startsWith(ICONS_FOLDER)) ||
  (wanted.hasNames !== false && file.startsWith(NAMES_FOLDER) && file !== NAMES_INDEX_FILE);

/** The number of times that a deployment may be replaced while it is read. */
const MAX_DEPLOYS = 3;

/** Reads what the manifest of a deployment lists. Starts again if the deployment was replaced while it was read. */
export async function readOneBuild<T>(
  client: HttpClient,
  address: string,
  read: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  let manifest = await fetchManifest(client, address);
  for (let deploys = 0; ; deploys++) {
    try {
      return await read(manifest);
    } catch (error) {
      if (!(error instanceof GamedataError) || deploys === MAX_DEPLOYS) throw error;
      const now = await fetchManifest(client, address).catch(() => manifest);
      if (JSON.stringify(now) === JSON.stringify(manifest)) throw error;
      manifest = now;
    }
  }
}

interface Selection {
  /** @param meta with an empty digest if the deployment does not describe itself */
  isWanted(file: string, meta: Pick<Meta, 'digest'>): boolean;
  /** Files that need not be requested. */
  readonly local?: LocalSite | undefined;
}

/** Reads files of a deployment, all of one build. */
export const deploymentStorage = (
  client: HttpClient,
  address: string,
  { isWanted, local }: Selection,
): Promise<SiteStorage> =>
  readOneBuild(client, address, async (manifest) => {
    const read = async (entry: ManifestEntry) => local?.read(entry) ?? fetchFile(client, address, entry);
    const about = manifest.files.find(({ path }) => path === META_FILE);
    const described = about && (await read(about));
    const { digest = '' } = metaReader.safeParse(parseJson(`${described}`)).data ?? {};
    const wanted = manifest.files.filter((entry) => entry !== about && isWanted(entry.path, { digest }));
    assertSize(toStorage(address, new Map()), wanted);
    const bodies = await Promise.all(wanted.map(read));
    const files = new Map(wanted.map(({ path }, at) => [path, bodies[at] ?? Buffer.of()]));
    if (described) files.set(META_FILE, described);
    return toStorage(address, files.set(MANIFEST_FILE, Buffer.from(JSON.stringify(manifest))));
  });

/** @throws OutputError if the file is too large, UpstreamError if it cannot be fetched, or differs from the manifest */
export async function fetchFile(client: HttpClient, address: string, entry: ManifestEntry): Promise<Buffer> {
  assertSize(toStorage(address, new Map()), [entry]);
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    const differs = (got: string, expected: string | number): InvalidBodyError =>
      new InvalidBodyError(`got ${got}, expected ${expected}, as in the manifest`, undefined, MIXED);
    if (body.length !== entry.bytes) throw differs(`${body.length} bytes`, entry.bytes);
    const sha256 = hash('sha256', body);
    if (sha256 === entry.sha256) return body;
    throw differs(`SHA-256 ${sha256}`, entry.sha256);
  };
  return get(client, url, { decode, maxBytes: entry.bytes });
}

/** Follows redirects, but never to another host. */
async function get<T>(
  client: HttpClient,
  url: string,
  options: { decode: (body: Buffer) => T; maxBytes: number },
  redirects = 0,
): Promise<T> {
  try {
    return (await client.get(url, options.decode, options)).value;
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.request.location === undefined) throw error;
    const { location, status } = error.request;
    const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (target?.origin === new URL(url).origin && redirects < MAX_REDIRECTS)
      return get(client, target.href, options, redirects + 1);
    const problem = `got ${status}, a redirect to ${JSON.stringify(location)}, expected 200`;
    const hint =
      'Redirects to another host are not followed, and neither are redirect loops: use the final URL.';
    throw new UpstreamError(problem, error.request, { cause: error.cause, hint });
  }
}
