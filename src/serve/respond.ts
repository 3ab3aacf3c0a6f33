/** Responds to HTTP requests with the request handler of a site. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '../contract/paths.ts';
import { commonHeaders, getMediaType, isCompressible } from '../contract/responses.ts';
import { escapeControls } from '../contract/words.ts';
import { respondCompressed } from './compression.ts';
import type { PlainRequest, PlainResponse } from './handler/index.ts';
import { resolveTarget } from './handler/request.ts';
import type { Site } from './site.ts';

/** @param compressesApi whether API responses are compressed, too */
export async function respond(
  request: IncomingMessage,
  { base, respond }: Site,
  compressesApi: boolean,
): Promise<PlainResponse> {
  const plain = toPlain(request);
  // Nothing else is outside of the base path.
  if (base !== '' && plain.path === '/')
    return { status: 302, headers: { ...commonHeaders, Location: `${base}/` }, body: null };
  const target = resolveTarget(plain.path, base);
  const isFile = target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX);
  const compresses = isFile ? isCompressible(getMediaType(target.file)) : compressesApi;
  return compresses ? respondCompressed(plain, respond) : respond(plain);
}

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get } };
}

/**
 * Splits a request target into path and query as they were sent (https://httpwg.org/specs/rfc9112.html#request.target). A
 * WHATWG URL would resolve dot segments, replace backslashes and drop fragments, and so refer to other resources.
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // URLs must not contain these. Clients would misinterpret them in a redirect.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  return { path: path || '/', search: encoded.slice(path.length) };
}

/** Prints `GET /api/gamedata/move/ 200 12240 B 0.4 ms`, with the size of the body. */
export function logRequest(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  print: (line: string) => void,
): void {
  const started = performance.now();
  response.on('close', () => {
    const { statusCode, writableFinished } = response;
    const hasBody = method !== 'HEAD' && statusCode !== 304 && statusCode !== 204;
    const bytes = hasBody ? (response.getHeader('Content-Length') ?? 0) : 0;
    const took = (performance.now() - started).toFixed(1);
    const end = writableFinished ? '' : ', cut off';
    print(escapeControls(`${method} ${url} ${statusCode} ${bytes} B ${took} ms${end}`));
  });
}
