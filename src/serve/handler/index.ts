import { parsePageRange } from '../../contract/page-range.ts';
import { API_PREFIX, BROWSE_FILE, bulkFolders, NOT_FOUND_FILE } from '../../contract/paths.ts';
import * as responses from '../../contract/responses.ts';
import {
  type AssetStore,
  encode,
  findIcon,
  findRedirect,
  type Representation,
} from './asset-store.ts';
import { loadPageRange } from './page-range.ts';
import {
  type Endpoint,
  type Format,
  type PlainRequest,
  type PlainResponse,
  prefersPage,
  readFormat,
  resolveTarget,
} from './request.ts';

export type { Asset } from './asset-store.ts';
export type { PlainRequest, PlainResponse } from './request.ts';

export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/**
 * Creates the request handler of a site. It uses only web standards, so it runs in Node, Workers
 * and Deno.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(
  store: AssetStore,
  base = '',
): (request: Request) => Promise<Response> {
  const respond = createResponder(store, base);
  return async ({ method, url, headers }) => {
    const { pathname, search } = new URL(url);
    const response = await respond({ method, path: pathname, search, headers });
    const body = response.body && new Blob([...response.body]);
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

export function createResponder(store: AssetStore, base = ''): Responder {
  async function respond(request: PlainRequest): Promise<PlainResponse> {
    const { method, path, search, headers } = request;
    // https://fetch.spec.whatwg.org/#cors-preflight-fetch
    const isPreflight =
      method === 'OPTIONS' && headers.get('Access-Control-Request-Method') !== null;
    if (isPreflight) return createEmpty(204, { ...apiHeaders, ...responses.preflightHeaders });
    const target = resolveTarget(path, base);
    if (target.type === 'redirect') return redirect(target.path, search);
    if (target.type === 'file') return respondWithFile(request, target.file);
    if (target.type === 'nothing') return respondNotFound(request);
    return respondToEndpoint(request, target);
  }

  /**
   * Checks for errors in the reference framework's order: format (404), method (405), lookup (404).
   */
  async function respondToEndpoint(
    request: PlainRequest,
    endpoint: Endpoint,
  ): Promise<PlainResponse> {
    const { method, search, headers } = request;
    const query = new URLSearchParams(search);
    const format = readFormat(query);
    if (format === 'other') return respondNotFound(request);
    if (method === 'OPTIONS') return createOptions(endpoint.name);
    if (!isGetOrHead(method)) return createError(405, responses.formatNotAllowed(method));
    const content = await loadContent(endpoint, query, format);
    if (!content) return respondToMissing(request, endpoint);
    if (prefersPage(format, headers.get('Accept'))) {
      const page = await store.get(BROWSE_FILE);
      if (page) return createContent(request, page, pageHeaders);
    }
    return createContent(request, content, jsonHeaders);
  }

  async function loadContent(
    endpoint: Endpoint,
    query: URLSearchParams,
    format: Format,
  ): Promise<Representation | undefined> {
    if (endpoint.type === 'list')
      return loadPageRange(store, endpoint.kind, parsePageRange(query), format === 'json');
    return endpoint.file === undefined ? undefined : store.get(endpoint.file);
  }

  /** Redirects the old URL of a renamed record. */
  async function respondToMissing(
    request: PlainRequest,
    endpoint: Endpoint,
  ): Promise<PlainResponse> {
    if (endpoint.type !== 'record' || endpoint.file === undefined) return respondNotFound(request);
    const currentPath = await findRedirect(store, endpoint.file);
    if (currentPath === undefined) return respondNotFound(request);
    return redirect(currentPath, request.search);
  }

  async function respondWithFile(request: PlainRequest, file: string): Promise<PlainResponse> {
    const { method } = request;
    const asset = await store.get(file);
    const location = asset ? undefined : await findIcon(store, file);
    if (!asset && location === undefined) return respondNotFound(request);
    if (method === 'OPTIONS') return createEmpty(204, { Allow: apiHeaders.Allow });
    if (!isGetOrHead(method)) return createError(405, responses.formatNotAllowed(method));
    if (asset) return createContent(request, asset, createFileHeaders(file));
    // Temporary, because this site may hold the icon later.
    return createEmpty(302, { Location: `${location}` });
  }

  /**
   * Responds with a page to browsers: below the API with the page that shows the JSON, elsewhere
   * with the site's 404 page.
   */
  async function respondNotFound(request: PlainRequest): Promise<PlainResponse> {
    const { method, path, search, headers } = request;
    const jsonError = createError(404, responses.errorDetails[404]);
    if (!isGetOrHead(method)) return jsonError;
    const format = readFormat(new URLSearchParams(search));
    if (!prefersPage(format, headers.get('Accept'))) return jsonError;
    const isApi = path.startsWith(base + API_PREFIX);
    const page = await store.get(isApi ? BROWSE_FILE : NOT_FOUND_FILE);
    if (!page) return jsonError;
    return createResponse(404, { ...pageHeaders, ...responses.errorHeaders }, [page.body]);
  }

  const redirect = (path: string, search: string): PlainResponse =>
    createEmpty(301, { ...apiHeaders, Location: `${base}${path}${search}` });

  return async (request) => {
    const response = await respond(request);
    return request.method === 'HEAD' ? { ...response, body: null } : response;
  };
}

const isGetOrHead = (method: string): boolean => method === 'GET' || method === 'HEAD';

type HeaderValues = PlainResponse['headers'];
type BodyParts = NonNullable<PlainResponse['body']>;

const { apiHeaders, commonHeaders, mediaTypes } = responses;
const endpointHeaders = { ...commonHeaders, ...apiHeaders };
const jsonHeaders = { ...endpointHeaders, 'Content-Type': mediaTypes['.json'] };
const pageHeaders = {
  ...endpointHeaders,
  ...responses.apiPageHeaders,
  'Content-Type': mediaTypes['.html'],
};

/** Chooses the headers of a file by its folder and its media type. */
function createFileHeaders(file: string): HeaderValues {
  const type = responses.getMediaType(file);
  const headers: Record<string, string> = { ...commonHeaders };
  if (type === mediaTypes['.html']) Object.assign(headers, responses.htmlHeaders);
  Object.assign(headers, chooseFolderHeaders(file));
  headers['Content-Type'] = type;
  return headers;
}

function chooseFolderHeaders(file: string): HeaderValues {
  if (`/${file}`.startsWith(API_PREFIX)) return apiHeaders;
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  return isBulk ? responses.downloadHeaders : responses.freshHeaders;
}

function createContent(
  request: PlainRequest,
  { body, etag }: Representation,
  headers: HeaderValues,
): PlainResponse {
  const isUnchanged = isListed(etag, request.headers.get('If-None-Match'));
  if (isUnchanged) {
    const { 'Content-Type': _, ...unchangedHeaders } = headers;
    return { status: 304, headers: { ...unchangedHeaders, ETag: etag }, body: null };
  }
  const parts = body instanceof Uint8Array ? [body] : body;
  return createResponse(200, { ...headers, ETag: etag }, parts);
}

/** Compares weakly: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isListed(etag: string, ifNoneMatch: string | null): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const strongEtag = toStrong(etag);
  return ifNoneMatch.split(',').some((listed) => toStrong(listed) === strongEtag);
}

const toStrong = (etag: string): string => etag.trim().replace(/^W\//, '');

export function createError(status: number, detail: string): PlainResponse {
  const body = encode(responses.createErrorBody(detail));
  return createResponse(status, { ...jsonHeaders, ...responses.errorHeaders }, [body]);
}

/** Describes an endpoint as the reference framework does. */
function createOptions(name: string): PlainResponse {
  const description = {
    name,
    description: '',
    renders: ['application/json', 'text/html'],
    parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  };
  return createResponse(200, jsonHeaders, [encode(JSON.stringify(description))]);
}

const createEmpty = (status: number, headers: HeaderValues): PlainResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: null,
});

function createResponse(status: number, headers: HeaderValues, body: BodyParts): PlainResponse {
  let length = 0;
  for (const part of body) length += part.length;
  return { status, headers: { ...headers, 'Content-Length': String(length) }, body };
}
