/**
 * The handler: the whole contract as a function from request to response, over any asset store. Web standards only, so
 * that it runs in Node, Workers and Deno alike.
 */

import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../../contract/errors.ts';
import { BROWSE_FILE, NOT_FOUND_FILE } from '../../contract/paths.ts';
import {
  isRead,
  negotiate,
  type PlainRequest,
  type PlainResponse,
  readFormat,
  readWindow,
} from './plain-request.ts';
import * as responses from './responses.ts';
import { type AssetStore, iconRedirect, movedPath } from './store.ts';
import { isApiPath, resolveTarget, type Target } from './target.ts';
import { listWindow } from './window.ts';

export type { PlainRequest, PlainResponse } from './plain-request.ts';
export { errorResponse, fileHeaders, fileResponse } from './responses.ts';
export type { Asset, AssetStore } from './store.ts';
export { resolveTarget } from './target.ts';

export type Handler = (request: Request) => Promise<Response>;
export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/** The media types that the reference framework states in response to `OPTIONS`. */
const endpointMedia = {
  renders: [responses.JSON_TYPE, 'text/html'],
  parses: [responses.JSON_TYPE, 'application/x-www-form-urlencoded', 'multipart/form-data'],
};

/**
 * Creates the handler of a site.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(store: AssetStore, base = ''): Handler {
  const respond = createResponder(store, base);
  return async ({ method, url, headers }) => {
    // The platform has normalized the path.
    const { pathname, search } = new URL(url);
    const { body, ...init } = await respond({ method, path: pathname, search, headers });
    return new Response(body, init);
  };
}

/**
 * The handler itself, on plain data. Errors are checked in the reference framework's order: format (404), Accept (406),
 * method (405), lookup (404). Request bodies are never read.
 */
export function createResponder(store: AssetStore, base = ''): Responder {
  /** A browser gets a page with the same status; that of the API shows the JSON. */
  async function notFound(request: PlainRequest): Promise<PlainResponse> {
    const format = readFormat(new URLSearchParams(request.search));
    const isPage = isRead(request) && negotiate(format, request.headers.get('Accept')) === 'html';
    const file = isApiPath(request.path, base) ? BROWSE_FILE : NOT_FOUND_FILE;
    const page = isPage ? await store.get(file) : undefined;
    return page
      ? responses.notFoundPage(request, page)
      : responses.errorResponse(request, 404, errorDetails[404]);
  }

  async function endpointResponse(request: PlainRequest, target: Endpoint): Promise<PlainResponse> {
    const query = new URLSearchParams(request.search);
    const format = readFormat(query);
    if (format === 'other') return notFound(request);
    const representation = negotiate(format, request.headers.get('Accept'));
    if (representation === undefined) return responses.errorResponse(request, 406, NOT_ACCEPTABLE_DETAIL);
    if (request.method === 'OPTIONS')
      return responses.jsonResponse(request, { name: target.name, description: '', ...endpointMedia });
    if (!isRead(request)) return responses.errorResponse(request, 405, notAllowedDetail(request.method));
    const asset =
      target.type === 'list'
        ? await listWindow(store, target.kind, { window: readWindow(query), isJson: format === 'json' })
        : target.file && (await store.get(target.file));
    if (!asset) {
      const moved = target.type === 'record' && target.file && (await movedPath(store, target.file));
      return moved ? responses.movedPermanently(`${base}${moved}${request.search}`) : notFound(request);
    }
    const page = representation === 'html' ? await store.get(BROWSE_FILE) : undefined;
    return page ? responses.browseResponse(request, page) : responses.apiResponse(request, asset);
  }

  async function fileAt(request: PlainRequest, file: string): Promise<PlainResponse> {
    const asset = await store.get(file);
    const elsewhere = asset ? undefined : await iconRedirect(store, file);
    const response = asset
      ? responses.fileResponse(request, asset, file)
      : elsewhere && responses.foundElsewhere(elsewhere);
    if (!response) return notFound(request);
    return isRead(request)
      ? response
      : responses.errorResponse(request, 405, notAllowedDetail(request.method));
  }

  return async (request) => {
    if (request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method') !== null)
      return responses.preflightResponse();
    const target = resolveTarget(request.path, base);
    switch (target.type) {
      case 'slashless':
        return responses.movedPermanently(`${base}${target.path}${request.search}`);
      case 'file':
        return fileAt(request, target.file);
      case 'nothing':
        return notFound(request);
      default:
        return endpointResponse(request, target);
    }
  };
}

type Endpoint = Extract<Target, { name: string }>;
