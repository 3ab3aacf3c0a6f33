import { parsePageRange } from '../../contract/page-range.ts';
import { API_PREFIX, BROWSE_FILE, bulkFolders, NOT_FOUND_FILE } from '../../contract/paths.ts';
import * as responses from '../../contract/responses.ts';
import * as assets from './asset-store.ts';
import {
  type PlainRequest,
  type PlainResponse,
  prefersPage,
  readFormat,
  resolveTarget,
  type Target,
} from './request.ts';

export type { Asset } from './asset-store.ts';
export type { PlainRequest, PlainResponse } from './request.ts';

export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/**
 * Creates the request handler of a site. It uses only web standards, so it runs in Node, Workers and Deno.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(
  store: assets.AssetStore,
  base = '',
): (request: Request) => Promise<Response> {
  const respond = createResponder(store, base);
  return async ({ method, url, headers }) => {
    const { pathname, search } = new URL(url);
    const { body, ...init } = await respond({ method, path: pathname, search, headers });
    return new Response(body && new Blob([...body]), init);
  };
}

export function createResponder(store: assets.AssetStore, base = ''): Responder {
  async function respondNotFound({
    method,
    path,
    search,
    headers,
  }: PlainRequest): Promise<PlainResponse> {
    const format = readFormat(new URLSearchParams(search));
    const isPage = isGetOrHead(method) && prefersPage(format, headers.get('Accept'));
    const file = path.startsWith(base + API_PREFIX) ? BROWSE_FILE : NOT_FOUND_FILE;
    const page = isPage ? await store.get(file) : undefined;
    if (!page) return createError(404, responses.errorDetails[404]);
    return createResponse(404, { ...pageHeaders, ...responses.errorHeaders }, page.body);
  }

  const redirect = (path: string, search: string): PlainResponse =>
    createEmpty(301, { ...apiHeaders, Location: `${base}${path}${search}` });

  /** Checks for errors in the reference framework's order: format (404), method (405), lookup (404). */
  async function respondToEndpoint(
    request: PlainRequest,
    target: Extract<Target, { name: string }>,
  ): Promise<PlainResponse> {
    const { method, search, headers } = request;
    const query = new URLSearchParams(search);
    const format = readFormat(query);
    if (format === 'other') return respondNotFound(request);
    if (method === 'OPTIONS') return createOptions(target.name);
    if (!isGetOrHead(method)) return createError(405, responses.formatNotAllowed(method));
    const content =
      target.type === 'list'
        ? await assets.readPageRange(store, target.kind, parsePageRange(query), format === 'json')
        : target.file && (await store.get(target.file));
    if (!content) {
      const path =
        target.type === 'record' && target.file && (await assets.findRedirect(store, target.file));
      return path ? redirect(path, search) : respondNotFound(request);
    }
    const page = prefersPage(format, headers.get('Accept')) && (await store.get(BROWSE_FILE));
    return page
      ? createContent(request, page, pageHeaders)
      : createContent(request, content, jsonHeaders);
  }

  async function respondWithFile(request: PlainRequest, file: string): Promise<PlainResponse> {
    const content = await store.get(file);
    const location = content ? undefined : await assets.findIcon(store, file);
    if (!content && location === undefined) return respondNotFound(request);
    if (request.method === 'OPTIONS') return createEmpty(204, { Allow: apiHeaders.Allow });
    if (!isGetOrHead(request.method))
      return createError(405, responses.formatNotAllowed(request.method));
    if (content) return createContent(request, content, createFileHeaders(file));
    // Temporary, because this site may hold the icon later.
    return createEmpty(302, { Location: `${location}` });
  }

  async function respond(request: PlainRequest): Promise<PlainResponse> {
    const { method, path, search, headers } = request;
    // https://fetch.spec.whatwg.org/#cors-preflight-fetch
    if (method === 'OPTIONS' && headers.get('Access-Control-Request-Method') !== null)
      return createEmpty(204, { ...apiHeaders, ...responses.preflightHeaders });
    const target = resolveTarget(path, base);
    if (target.type === 'redirect') return redirect(target.path, search);
    if (target.type === 'file') return respondWithFile(request, target.file);
    return target.type === 'nothing'
      ? respondNotFound(request)
      : respondToEndpoint(request, target);
  }

  return async (request) => {
    const response = await respond(request);
    return request.method === 'HEAD' ? { ...response, body: null } : response;
  };
}

const isGetOrHead = (method: string): boolean => method === 'GET' || method === 'HEAD';

type HeaderValues = PlainResponse['headers'];

const { apiHeaders, commonHeaders, mediaTypes } = responses;
const endpointHeaders = { ...commonHeaders, ...apiHeaders };
const jsonHeaders = { ...endpointHeaders, 'Content-Type': mediaTypes['.json'] };
const pageHeaders = {
  ...endpointHeaders,
  ...responses.apiPageHeaders,
  'Content-Type': mediaTypes['.html'],
};

function createFileHeaders(file: string): HeaderValues {
  const type = responses.getMediaType(file);
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  const headers = isBulk ? responses.downloadHeaders : responses.freshHeaders;
  return {
    ...commonHeaders,
    ...(type === mediaTypes['.html'] && responses.htmlHeaders),
    ...(`/${file}`.startsWith(API_PREFIX) ? apiHeaders : headers),
    'Content-Type': type,
  };
}

function createContent(
  request: PlainRequest,
  { body, etag }: assets.Content,
  headers: HeaderValues,
): PlainResponse {
  if (!isKnown(request.headers.get('If-None-Match'), etag))
    return createResponse(200, headers, body, etag);
  const { 'Content-Type': _, ...unchanged } = headers;
  return { status: 304, headers: { ...unchanged, ETag: etag }, body: null };
}

/** Compares weakly: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const toStrong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => toStrong(tag) === toStrong(etag))
  );
}

export function createError(status: number, detail: string): PlainResponse {
  const body = assets.encode(responses.createErrorBody(detail));
  return createResponse(status, { ...jsonHeaders, ...responses.errorHeaders }, body);
}

function createOptions(name: string): PlainResponse {
  const renders = ['application/json', 'text/html'];
  const parses = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const text = JSON.stringify({ name, description: '', renders, parses });
  return createResponse(200, jsonHeaders, assets.encode(text));
}

const createEmpty = (status: number, headers: HeaderValues): PlainResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: null,
});

function createResponse(
  status: number,
  headers: HeaderValues,
  content: assets.Content['body'],
  etag?: string,
): PlainResponse {
  const body = content instanceof Uint8Array ? [content] : content;
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return {
    status,
    headers: { ...headers, ...(etag && { ETag: etag }), 'Content-Length': String(length) },
    body,
  };
}
