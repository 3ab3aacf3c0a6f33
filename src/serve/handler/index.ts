/**
 * The handler: the whole contract as a function from request to response, over any asset store. Web standards only, so
 * that it runs in Node, Workers and Deno alike.
 */

import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../../contract/errors.ts';
import { BROWSE_FILE, NOT_FOUND_FILE } from '../../contract/paths.ts';
import { negotiate } from './accept.ts';
import { iconRedirect } from './icons.ts';
import { createMovedReader } from './moved.ts';
import { fromRequest, type PlainRequest, type PlainResponse, toResponse } from './plain-request.ts';
import { type Format, isRead, readFormat, readWindow } from './query.ts';
import { quickHash } from './quick-hash.ts';
import {
  apiResponse,
  browseResponse,
  errorResponse,
  fileResponse,
  foundElsewhere,
  JSON_TYPE,
  jsonResponse,
  movedPermanently,
  notFoundPage,
  preflightResponse,
} from './responses.ts';
import type { Asset, AssetStore, StreamedAsset } from './store.ts';
import { isApiPath, resolveTarget, type Target } from './target.ts';
import { createWindowReader } from './window.ts';

export { createFetchStore } from './fetch-store.ts';
export type { PlainRequest, PlainResponse } from './plain-request.ts';
export { fileHeaders, fileResponse } from './responses.ts';
export { rulesSuffice } from './rules-suffice.ts';
export type { Asset, AssetStore } from './store.ts';
export { resolveTarget } from './target.ts';

export type Handler = (request: Request) => Promise<Response>;
export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/** The media types that the reference framework states in response to `OPTIONS`. */
const endpointMedia = {
  renders: [JSON_TYPE, 'text/html'],
  parses: [JSON_TYPE, 'application/x-www-form-urlencoded', 'multipart/form-data'],
};

/**
 * Creates the handler of a site.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(store: AssetStore, base = ''): Handler {
  const respond = createResponder(store, base);
  return async (request) => toResponse(await respond(fromRequest(request)));
}

/**
 * The handler itself, on plain data. Errors are checked in the reference framework's order: format (404), Accept (406),
 * method (405), lookup (404). Request bodies are never read.
 */
export function createResponder(store: AssetStore, base = ''): Responder {
  const readList = createWindowReader(store);
  const readMoved = createMovedReader(store);

  /** The JSON of an endpoint; undefined if it does not exist. */
  async function lookUp(
    target: Endpoint,
    query: URLSearchParams,
  ): Promise<Asset | StreamedAsset | undefined> {
    if (target.type === 'list') return readList(target.kind, readWindow(query));
    return target.file === undefined ? undefined : store.get(target.file);
  }

  /** A browser gets a page with the same status; that of the API shows the JSON. */
  async function notFound(request: PlainRequest): Promise<PlainResponse> {
    const { representation } = negotiate(formatOf(request), request.headers.get('Accept'));
    const page =
      isRead(request) && representation === 'html'
        ? await store.get(isApiPath(request.path, base) ? BROWSE_FILE : NOT_FOUND_FILE)
        : undefined;
    return page ? notFoundPage(request, page) : errorResponse(request, 404, errorDetails[404]);
  }

  async function endpointResponse(
    request: PlainRequest,
    target: Endpoint,
    query: URLSearchParams,
  ): Promise<PlainResponse> {
    const format = readFormat(query);
    if (format === 'other') return notFound(request);
    const { representation, indent } = negotiate(format, request.headers.get('Accept'));
    if (representation === undefined) return errorResponse(request, 406, NOT_ACCEPTABLE_DETAIL);
    if (request.method === 'OPTIONS')
      return jsonResponse(request, { name: target.name, description: '', ...endpointMedia });
    if (!isRead(request)) return errorResponse(request, 405, notAllowedDetail(request.method));
    const asset = await lookUp(target, query);
    if (!asset) {
      const moved = target.type === 'record' && target.file ? await readMoved(target.file) : undefined;
      return moved !== undefined ? movedPermanently(`${base}${moved}${request.search}`) : notFound(request);
    }
    const page = representation === 'html' ? await store.get(BROWSE_FILE) : undefined;
    if (page) return browseResponse(request, page);
    const isIndented = indent > 0 && 'body' in asset;
    return apiResponse(request, isIndented ? indented(asset, indent) : asset, JSON_TYPE);
  }

  async function fileAt(request: PlainRequest, file: string): Promise<PlainResponse> {
    const asset = await store.get(file);
    const elsewhere = asset ? undefined : await iconRedirect(store, file);
    const response = asset ? fileResponse(request, asset, file) : elsewhere && foundElsewhere(elsewhere);
    if (!response) return notFound(request);
    return isRead(request) ? response : errorResponse(request, 405, notAllowedDetail(request.method));
  }

  return async (request) => {
    if (request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method'))
      return preflightResponse();
    const target = resolveTarget(request.path, base);
    switch (target.type) {
      case 'slashless':
        return movedPermanently(`${base}${target.path}${request.search}`);
      case 'file':
        return fileAt(request, target.file);
      case 'nothing':
        return notFound(request);
      default:
        return endpointResponse(request, target, new URLSearchParams(request.search));
    }
  };
}

const formatOf = ({ search }: PlainRequest): Format => readFormat(new URLSearchParams(search));

type Endpoint = Extract<Target, { name: string }>;

/** The same JSON, indented as requested by `Accept: application/json; indent=4`; what is streamed is not indented. */
function indented({ body, etag }: Asset, indent: number): Asset {
  const text = JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, indent);
  return { body: new TextEncoder().encode(text), etag: `"${quickHash(`${etag}:${indent}`)}"` };
}
