/**
 * The request handler: the whole contract as a function from request to response, over any asset store. It uses only web
 * standards, so it runs in Node, Workers and Deno.
 */

import { apiHeaders, commonHeaders, errorHeaders, preflightHeaders } from '../../contract/headers.ts';
import { BROWSE_FILE, NOT_FOUND_FILE } from '../../contract/paths.ts';
import { errorDetails, notAllowedDetail } from '../../contract/routes.ts';
import { readWindow } from '../../contract/windows.ts';
import {
  isApiPath,
  isRead,
  negotiate,
  type PlainRequest,
  type PlainResponse,
  readFormat,
  resolveTarget,
  type Target,
} from './request.ts';
import {
  bodyResponse,
  contentResponse,
  endpointHeaders,
  errorResponse,
  fileHeaders,
  jsonHeaders,
  pageHeaders,
  textResponse,
} from './responses.ts';
import { type AssetStore, findIcon, findRedirect, readPageRange, toContent } from './store.ts';

export type { PlainRequest, PlainResponse } from './request.ts';
export type { Asset, AssetStore } from './store.ts';

export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

type Endpoint = Extract<Target, { name: string }>;

/** The media types that the reference framework states in response to `OPTIONS`. */
const endpointMedia = {
  renders: ['application/json', 'text/html'],
  parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
};

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
    const isPage = isRead(request) && negotiate(format, request.headers.get('Accept')) === 'html';
    const file = isApiPath(request.path, base) ? BROWSE_FILE : NOT_FOUND_FILE;
    const page = isPage ? await store.get(file) : undefined;
    if (!page) return errorResponse(request, 404, errorDetails[404]);
    return bodyResponse(request, 404, { ...pageHeaders, ...errorHeaders }, [page.body]);
  }

  const notAllowed = (request: PlainRequest): PlainResponse =>
    errorResponse(request, 405, notAllowedDetail(request.method));

  const moved = (path: string, { search }: PlainRequest): PlainResponse => ({
    status: 301,
    headers: { ...endpointHeaders, Location: `${base}${path}${search}` },
    body: null,
  });

  async function endpointResponse(request: PlainRequest, target: Endpoint): Promise<PlainResponse> {
    const query = new URLSearchParams(request.search);
    const format = readFormat(query);
    if (format === 'other') return notFound(request);
    if (request.method === 'OPTIONS') {
      const text = JSON.stringify({ name: target.name, description: '', ...endpointMedia });
      return textResponse(request, 200, jsonHeaders, text);
    }
    if (!isRead(request)) return notAllowed(request);
    const isPage = negotiate(format, request.headers.get('Accept')) === 'html';
    const content = await readContent(target, query, format === 'json');
    if (!content) {
      const path = target.type === 'record' && target.file && (await findRedirect(store, target.file));
      return path ? moved(path, request) : notFound(request);
    }
    const page = isPage ? await store.get(BROWSE_FILE) : undefined;
    return page
      ? contentResponse(request, toContent(page), pageHeaders)
      : contentResponse(request, content, jsonHeaders);
  }

  async function readContent(target: Endpoint, query: URLSearchParams, isJson: boolean) {
    if (target.type === 'list')
      return readPageRange(store, target.kind, { window: readWindow(query), isJson });
    const asset = target.file === undefined ? undefined : await store.get(target.file);
    return asset && toContent(asset);
  }

  async function fileResponse(request: PlainRequest, file: string): Promise<PlainResponse> {
    const asset = await store.get(file);
    const location = asset ? undefined : await findIcon(store, file);
    if (!asset && location === undefined) return notFound(request);
    if (request.method === 'OPTIONS')
      return { status: 204, headers: { ...commonHeaders, Allow: apiHeaders.Allow }, body: null };
    if (!isRead(request)) return notAllowed(request);
    if (asset) return contentResponse(request, toContent(asset), fileHeaders(file));
    // Temporary, because this site may hold the icon later.
    return { status: 302, headers: { ...commonHeaders, Location: `${location}` }, body: null };
  }

  return async (request) => {
    if (request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method') !== null)
      // https://fetch.spec.whatwg.org/#cors-preflight-fetch
      return { status: 204, headers: { ...endpointHeaders, ...preflightHeaders }, body: null };
    const target = resolveTarget(request.path, base);
    switch (target.type) {
      case 'slashless':
        return moved(target.path, request);
      case 'file':
        return fileResponse(request, target.file);
      case 'nothing':
        return notFound(request);
      default:
        return endpointResponse(request, target);
    }
  };
}
