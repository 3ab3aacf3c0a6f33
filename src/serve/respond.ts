import type { IncomingMessage } from 'node:http';
import { commonHeaders } from '../contract/responses.ts';
import {
  createNotModified,
  type PlainRequest,
  type PlainResponse,
} from './handler/index.ts';
import type { ServedSite } from './site.ts';

/**
 * Responds to a request for a site. If the site is below a path, the server's root
 * redirects to it.
 */
export async function respond(
  message: IncomingMessage,
  site: ServedSite,
): Promise<PlainResponse> {
  const request = toPlainRequest(message);
  if (site.base !== '' && request.path === '/') return redirectToSite(site.base);
  const response = await site.respond(request);
  return addLastModified(request, response, site.lastModified);
}

function redirectToSite(base: string): PlainResponse {
  return {
    status: 302,
    headers: { ...commonHeaders, Location: `${base}/` },
    body: null,
  };
}

/** Converts a request from Node, which provides header names in lower case. */
function toPlainRequest(message: IncomingMessage): PlainRequest {
  const { method = 'GET', url = '/', headers } = message;
  const { path, search } = splitTarget(url);
  function get(name: string): string | null {
    return headers[name.toLowerCase()]?.toString() ?? null;
  }
  return { method, path, search, headers: { get } };
}

/**
 * Splits a request target into its path and its query. We do not parse it as a URL,
 * because that would normalize the path.
 *
 * @see https://httpwg.org/specs/rfc9112.html#request.target
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : removeOrigin(target);
  // Clients would misinterpret these characters in a redirect URL.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  const search = encoded.slice(path.length);
  return { path: path || '/', search };
}

/** Removes the origin, so that `http://example.test/a` becomes `/a`. */
function removeOrigin(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
}

/**
 * Adds `Last-Modified` to content, for clients that compare times instead of ETags,
 * such as `wget -N` and `curl -z`. If such a client already has the content, the
 * response is a 304.
 *
 * @see https://httpwg.org/specs/rfc9110.html#field.if-modified-since
 */
function addLastModified(
  request: PlainRequest,
  response: PlainResponse,
  lastModified: string,
): PlainResponse {
  // A response without an ETag, such as an error or a redirect, gets no date.
  if (response.headers.ETag === undefined) return response;
  const headers = { ...response.headers, 'Last-Modified': lastModified };
  if (isUnchanged(request, lastModified)) return createNotModified(headers);
  return { ...response, headers };
}

/**
 * Returns whether the client's content is still current according to its date. If the
 * client also sent ETags, the date is ignored.
 */
function isUnchanged({ headers }: PlainRequest, lastModified: string): boolean {
  if (headers.get('If-None-Match') !== null) return false;
  const since = headers.get('If-Modified-Since');
  if (since === null) return false;
  return Date.parse(since) >= Date.parse(lastModified);
}
