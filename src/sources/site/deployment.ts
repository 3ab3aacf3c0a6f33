/** A deployment: its manifest, and the files that the manifest lists. */

import { hash } from 'node:crypto';
import { kindNames } from '../../contract/kinds.ts';
import type { Manifest, ManifestEntry } from '../../contract/meta.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  ICONS_FOLDER,
  listPageFile,
  listPath,
  MANIFEST_FILE,
  META_FILE,
  MOVED_FILE,
  NAMES_FOLDER,
} from '../../contract/paths.ts';
import { UpstreamError } from '../../errors.ts';
import { decodeJson, MalformedBody } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';
import { memoryPlace, type Place, refuseLarge } from './place.ts';
import { readManifest } from './read.ts';

/** A manifest of four hundred thousand files. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const MIXED = 'It may be served partly from caches, or be replaced just now: try again later.';
/** `serve` and others redirect `/index.html` to `/`. */
const MAX_REDIRECTS = 3;

/**
 * Fetches a deployment's manifest.
 *
 * @throws UpstreamError if it cannot be fetched
 * @throws OutputError if it is not the manifest of a gamedata build
 */
export async function fetchManifest(client: HttpClient, address: string): Promise<Manifest> {
  const url = `${address}/${MANIFEST_FILE}`;
  // What is no JSON may be another time.
  const decode = (bytes: Buffer): Buffer => {
    decodeJson(bytes);
    return bytes;
  };
  const body = await get(client, url, { decode, maxBytes: MAX_MANIFEST_BYTES });
  return readManifest(placeOf(address, new Map([[MANIFEST_FILE, body]])));
}

const placeOf = (address: string, files: ReadonlyMap<string, Buffer>): Place =>
  memoryPlace(address, files, (file) => `${address}/${file}`);

/** How often a deployment may be replaced while it is read. */
const MAX_DEPLOYS = 3;

/** Whether a file of a site describes it, or has records. */
export const hasRecords = (file: string): boolean =>
  file === META_FILE ||
  kindNames.some(
    (kind) => file === listPageFile(kind, 0) || file.startsWith(`${listPath(kind).slice(1)}offset/`),
  );

/** Whether a file of a site is read where the site is a source. */
export const isSource = (file: string): boolean =>
  hasRecords(file) ||
  [FORMER_FILE, CHANGES_FILE, MOVED_FILE].includes(file) ||
  [NAMES_FOLDER, ICONS_FOLDER].some((folder) => file.startsWith(folder));

/**
 * Fetches files of a deployment, all of one build: if it is replaced meanwhile, that begins again.
 *
 * @throws UpstreamError if a file cannot be fetched, or differs from the manifest
 * @throws OutputError if there is no manifest, or they are too large
 */
export async function deploymentPlace(
  client: HttpClient,
  address: string,
  isWanted: (file: string) => boolean,
): Promise<Place> {
  let manifest = await fetchManifest(client, address);
  for (let deploys = 0; ; deploys++) {
    const wanted = manifest.files.filter(({ path }) => isWanted(path));
    refuseLarge(
      address,
      wanted.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    const fetched = await Promise.allSettled(
      wanted.map(async (entry) => [entry.path, await fetchFile(client, address, entry)] as const),
    );
    const failure = fetched.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (!failure) {
      const files = fetched.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      return placeOf(address, new Map([...files, [MANIFEST_FILE, Buffer.from(JSON.stringify(manifest))]]));
    }
    const now = await fetchManifest(client, address);
    if (deploys === MAX_DEPLOYS || JSON.stringify(now) === JSON.stringify(manifest)) throw failure.reason;
    manifest = now;
  }
}

/**
 * Fetches a file, and checks its size and hash.
 *
 * @throws UpstreamError if it cannot be fetched, or differs from the manifest
 */
export async function fetchFile(client: HttpClient, address: string, entry: ManifestEntry): Promise<Buffer> {
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    const differs = (got: string, expected: string | number): MalformedBody =>
      new MalformedBody(`got ${got}, expected ${expected}, as in the manifest`, undefined, MIXED);
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
  { decode, maxBytes }: { decode: (body: Buffer) => T; maxBytes: number },
): Promise<T> {
  for (let at = url, redirects = 0; ; redirects++) {
    try {
      const response = await client.get(at, decode, { maxBytes });
      if (response.status === 200) return response.value;
      throw new Error(`${at}: got 304 for an unconditional request`);
    } catch (error) {
      const location = error instanceof UpstreamError ? error.request.location : undefined;
      if (!(error instanceof UpstreamError) || location === undefined) throw error;
      const target = URL.canParse(location, at) ? new URL(location, at) : undefined;
      if (target?.origin === new URL(url).origin && redirects < MAX_REDIRECTS) {
        at = target.href;
        continue;
      }
      const problem = `got ${error.request.status}, a redirect to ${JSON.stringify(location)}, expected 200`;
      throw new UpstreamError(problem, error.request, {
        cause: error.cause,
        hint: 'Redirects to another host are not followed, and neither are redirect loops: use the final URL.',
      });
    }
  }
}
