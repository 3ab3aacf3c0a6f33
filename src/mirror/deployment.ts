/** A deployment as a mirror reads it: its manifest, and files of which the manifest says what they have to be. */

import { hash } from 'node:crypto';
import { MANIFEST_FILE, type Manifest, type ManifestEntry, manifestSchema } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { UpstreamError } from '../errors.ts';
import { decodeJson, MalformedBody } from '../http/body.ts';
import type { HttpClient } from '../http/client.ts';

/** A manifest of four hundred thousand files. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
/** `serve` and others send `/index.html` to `/`: a way or two on the same host are no detour. */
const MAX_REDIRECTS = 3;

/**
 * Reads what a deployment consists of.
 *
 * @throws UpstreamError where there is no manifest to be had
 * @throws DataError where it is none of a gamedata build
 */
export async function readManifest(client: HttpClient, address: string): Promise<Manifest> {
  const decode = (body: Buffer): Manifest =>
    parse(manifestSchema, decodeJson(body), { record: `${address}/${MANIFEST_FILE}` });
  return get(client, `${address}/${MANIFEST_FILE}`, { decode, maxBytes: MAX_MANIFEST_BYTES });
}

/**
 * Reads a file, and believes nothing but its hash.
 *
 * @throws UpstreamError where it does not come, or comes as something else
 */
export async function readFile(client: HttpClient, address: string, entry: ManifestEntry): Promise<Buffer> {
  const url = `${address}/${entry.path.split('/').map(encodeURIComponent).join('/')}`;
  const decode = (body: Buffer): Buffer => {
    if (body.length !== entry.bytes)
      throw new MalformedBody(`answered ${body.length} bytes, expected ${entry.bytes}, as the manifest says`);
    const sha256 = hash('sha256', body);
    if (sha256 === entry.sha256) return body;
    throw new MalformedBody(`answered SHA-256 ${sha256}, expected ${entry.sha256}, as the manifest says`);
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
      const answer = await client.get(at, decode, { maxBytes });
      if (answer.status === 200) return answer.value;
      throw new Error(`${at}: a 304 without a validator got past the client`);
    } catch (error) {
      const location = error instanceof UpstreamError ? error.request.location : undefined;
      if (!(error instanceof UpstreamError) || location === undefined) throw error;
      const target = URL.canParse(location, at) ? new URL(location, at) : undefined;
      if (target?.origin !== new URL(url).origin || redirects === MAX_REDIRECTS)
        throw astray(error, location);
      at = target.href;
    }
  }
}

function astray({ request, cause }: UpstreamError, location: string): UpstreamError {
  const problem = `answered ${request.status}, a redirect to ${JSON.stringify(location)}, expected 200`;
  return new UpstreamError(problem, request, {
    cause,
    hint: 'Redirects to another host, and endless ones, are not followed: name the address that answers itself.',
  });
}
