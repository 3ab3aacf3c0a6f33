/** A deployment as a mirror reads it: its manifest, and the files that the manifest lists. */

import { hash } from 'node:crypto';
import { type Manifest, type ManifestEntry, manifestReader, refuseNewerFormat } from '../../contract/meta.ts';
import { parse } from '../../contract/parse.ts';
import { MANIFEST_FILE } from '../../contract/paths.ts';
import { DataError, UpstreamError } from '../../errors.ts';
import { decodeJson, MalformedBody } from '../../http/body.ts';
import type { HttpClient } from '../../http/client.ts';

/** A manifest of four hundred thousand files. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** More than a hundred times the live upstream's records with every icon. */
const MAX_SITE_BYTES = 8 * 1024 ** 3;
/** `serve` and others redirect `/index.html` to `/`. */
const MAX_REDIRECTS = 3;

/**
 * Reads a deployment's manifest.
 *
 * @throws UpstreamError if it cannot be fetched
 * @throws DataError if it is not the manifest of a gamedata build
 */
export async function readManifest(client: HttpClient, address: string): Promise<Manifest> {
  const url = `${address}/${MANIFEST_FILE}`;
  const decode = (body: Buffer): Manifest => parseManifest(decodeJson(body), url);
  return get(client, url, { decode, maxBytes: MAX_MANIFEST_BYTES });
}

/** @throws DataError if it is not the manifest of a gamedata build, or the site is larger than any that there is */
export function parseManifest(json: unknown, record: string): Manifest {
  refuseNewerFormat(json, (problem, options) => new DataError(problem, { record }, options));
  const manifest = parse(manifestReader, json, { record });
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MAX_SITE_BYTES) return manifest;
  throw new DataError(`got files of ${bytes} bytes in all: expected at most ${MAX_SITE_BYTES}`, { record });
}

/**
 * Reads a file, and checks its size and hash.
 *
 * @throws UpstreamError if it cannot be fetched, or differs from the manifest
 */
export async function readFile(client: HttpClient, address: string, entry: ManifestEntry): Promise<Buffer> {
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    if (body.length !== entry.bytes)
      throw new MalformedBody(`got ${body.length} bytes, expected ${entry.bytes}, as in the manifest`);
    const sha256 = hash('sha256', body);
    if (sha256 === entry.sha256) return body;
    throw new MalformedBody(`got SHA-256 ${sha256}, expected ${entry.sha256}, as in the manifest`);
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
