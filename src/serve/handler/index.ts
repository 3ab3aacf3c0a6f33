/**
 * The request handler: the whole contract as a function from request to response, over any asset store. It uses only web
 * standards, so it runs in Node, Workers and Deno.
 */

import { parsePageRange } from '../../contract/page-range.ts';
import { BROWSE_FILE, NOT_FOUND_FILE } from '../../contract/paths.ts';
import {
  apiHeaders,
  commonHeaders,
  errorDetails,
  errorHeaders,
  formatNotAllowed,
  preflightHeaders,
} from '../../contract/responses.ts';
import { type AssetStore, findIcon, findRedirect, readContent, readPageRange } from './asset-store.ts';
import {
  isApiPath,
  isGetOrHead,
  negotiate,
  type PlainRequest,
  type PlainResponse,
  readFormat,
  resolveTarget,
  type Target,
} from './request.ts';
import * as responses from './responses.ts';

export type { Asset, AssetStore } from './asset-store.ts';
export type { PlainRequest, PlainResponse } from './request.ts';

export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/**
 * Creates the handler of a site.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(store: AssetStore, base = ''): (request: Request) => Promise<Response> {
  const respond = createResponder(store, base);
  return async ({ method, url, headers }) => {
    // The platform has normalized the path.
    const { pathname, search } = new URL(url);
    const { body, ...init } = await respond({ method, path: pathname, search, headers });
    return new Response(body && new Blob([...body]), init);
  };
}

/**
 * Creates the handler on plain data. It checks for errors in the reference framework's order: format (404), method (405),
 * lookup (404). Request bodies are never read.
 */
export function createResponder(store: AssetStore, base = ''): Responder {
  /** Browsers get a page with the same status; the API's page shows the JSON. */
  async function notFound(request: PlainRequest): Promise<PlainResponse> {
    const format = readFormat(new URLSearchParams(request.search));
    const isPage = isGetOrHead(request) && negotiate(format, request.headers.get('Accept')) === 'html';
    const file = isApiPath(request.path, base) ? BROWSE_FILE : NOT_FOUND_FILE;
    const page = isPage ? await readContent(store, file) : undefined;
    if (!page) return responses.createError(request, 404, errorDetails[404]);
    return responses.create(request, 404, { ...responses.pageHeaders, ...errorHeaders }, page.parts);
  }

  const moved = (path: string, { search }: PlainRequest): PlainResponse => ({
    status: 301,
    headers: { ...responses.endpointHeaders, Location: `${base}${path}${search}` },
    body: null,
  });

  async function respondToEndpoint(
    request: PlainRequest,
    target: Extract<Target, { name: string }>,
  ): Promise<PlainResponse> {
    const query = new URLSearchParams(request.search);
    const format = readFormat(query);
    if (format === 'other') return notFound(request);
    if (request.method === 'OPTIONS') return responses.createOptions(request, target.name);
    if (!isGetOrHead(request)) return responses.createError(request, 405, formatNotAllowed(request.method));
    const content =
      target.type === 'list'
        ? await readPageRange(store, target.kind, {
            window: parsePageRange(query),
            isJson: format === 'json',
          })
        : target.file && (await readContent(store, target.file));
    if (!content) {
      const path = target.type === 'record' && target.file && (await findRedirect(store, target.file));
      return path ? moved(path, request) : notFound(request);
    }
    const isPage = negotiate(format, request.headers.get('Accept')) === 'html';
    const page = isPage ? await readContent(store, BROWSE_FILE) : undefined;
    return page
      ? responses.createContent(request, page, responses.pageHeaders)
      : responses.createContent(request, content, responses.jsonHeaders);
  }

  async function respondWithFile(request: PlainRequest, file: string): Promise<PlainResponse> {
    const content = await readContent(store, file);
    const location = content ? undefined : await findIcon(store, file);
    if (!content && location === undefined) return notFound(request);
    if (request.method === 'OPTIONS')
      return { status: 204, headers: { ...commonHeaders, Allow: apiHeaders.Allow }, body: null };
    if (!isGetOrHead(request)) return responses.createError(request, 405, formatNotAllowed(request.method));
    if (content) return responses.createContent(request, content, responses.fileHeaders(file));
    // Temporary, because this site may hold the icon later.
    return { status: 302, headers: { ...commonHeaders, Location: `${location}` }, body: null };
  }

  return async (request) => {
    if (request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method') !== null)
      // https://fetch.spec.whatwg.org/#cors-preflight-fetch
      return { status: 204, headers: { ...responses.endpointHeaders, ...preflightHeaders }, body: null };
    const target = resolveTarget(request.path, base);
    if (target.type === 'slashless') return moved(target.path, request);
    if (target.type === 'file') return respondWithFile(request, target.file);
    return target.type === 'nothing' ? notFound(request) : respondToEndpoint(request, target);
  };
}
