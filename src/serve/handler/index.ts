import { parsePageRange } from '../../contract/page-range.ts';
import { API_PREFIX, BROWSE_FILE, bulkFolders, NOT_FOUND_FILE } from '../../contract/paths.ts';
import * as contract from '../../contract/responses.ts';
import * as assets from './asset-store.ts';
import * as requests from './request.ts';

export type { Asset, AssetStore } from './asset-store.ts';
export type { PlainRequest, PlainResponse } from './request.ts';

type PlainRequest = requests.PlainRequest;
type PlainResponse = requests.PlainResponse;
export type Responder = (request: PlainRequest) => Promise<PlainResponse>;

/**
 * Creates the request handler of a site. It uses only web standards, so it runs in Node, Workers and Deno.
 *
 * @param base the path of the base URL, such as `/games`
 */
export function createHandler(store: assets.AssetStore, base = ''): (request: Request) => Promise<Response> {
  const respond = createResponder(store, base);
  return async ({ method, url, headers }) => {
    const { pathname, search } = new URL(url);
    const { body, ...init } = await respond({ method, path: pathname, search, headers });
    return new Response(body && new Blob([...body]), init);
  };
}

/** Checks for errors in the reference framework's order: format (404), method (405), lookup (404). */
export function createResponder(store: assets.AssetStore, base = ''): Responder {
  async function respondNotFound(request: PlainRequest): Promise<PlainResponse> {
    const format = requests.readFormat(new URLSearchParams(request.search));
    const isPage =
      requests.isGetOrHead(request) && requests.prefersPage(format, request.headers.get('Accept'));
    const file = request.path.startsWith(base + API_PREFIX) ? BROWSE_FILE : NOT_FOUND_FILE;
    const page = isPage ? await assets.readContent(store, file) : undefined;
    if (!page) return createError(request, 404, contract.errorDetails[404]);
    return createResponse(request, 404, { ...pageHeaders, ...contract.errorHeaders }, page.parts);
  }

  const redirect = (path: string, { search }: PlainRequest): PlainResponse => ({
    status: 301,
    headers: { ...endpointHeaders, Location: `${base}${path}${search}` },
    body: null,
  });

  async function respondToEndpoint(
    request: PlainRequest,
    target: Extract<requests.Target, { name: string }>,
  ): Promise<PlainResponse> {
    const query = new URLSearchParams(request.search);
    const format = requests.readFormat(query);
    if (format === 'other') return respondNotFound(request);
    if (request.method === 'OPTIONS') return createOptions(request, target.name);
    if (!requests.isGetOrHead(request))
      return createError(request, 405, contract.formatNotAllowed(request.method));
    const content =
      target.type === 'list'
        ? await assets.readPageRange(store, target.kind, parsePageRange(query), format === 'json')
        : target.file && (await assets.readContent(store, target.file));
    if (!content) {
      const path = target.type === 'record' && target.file && (await assets.findRedirect(store, target.file));
      return path ? redirect(path, request) : respondNotFound(request);
    }
    const isPage = requests.prefersPage(format, request.headers.get('Accept'));
    const page = isPage ? await assets.readContent(store, BROWSE_FILE) : undefined;
    return createContent(request, page ?? content, page ? pageHeaders : jsonHeaders);
  }

  async function respondWithFile(request: PlainRequest, file: string): Promise<PlainResponse> {
    const content = await assets.readContent(store, file);
    const location = content ? undefined : await assets.findIcon(store, file);
    if (!content && location === undefined) return respondNotFound(request);
    if (request.method === 'OPTIONS') return createEmpty(204, { Allow: contract.apiHeaders.Allow });
    if (!requests.isGetOrHead(request))
      return createError(request, 405, contract.formatNotAllowed(request.method));
    if (content) return createContent(request, content, createFileHeaders(file));
    // Temporary, because this site may hold the icon later.
    return createEmpty(302, { Location: `${location}` });
  }

  return async (request) => {
    // https://fetch.spec.whatwg.org/#cors-preflight-fetch
    const isPreflight =
      request.method === 'OPTIONS' && request.headers.get('Access-Control-Request-Method') !== null;
    if (isPreflight) return createEmpty(204, { ...contract.apiHeaders, ...contract.preflightHeaders });
    const target = requests.resolveTarget(request.path, base);
    if (target.type === 'redirect') return redirect(target.path, request);
    if (target.type === 'file') return respondWithFile(request, target.file);
    return target.type === 'nothing' ? respondNotFound(request) : respondToEndpoint(request, target);
  };
}

type HeaderValues = PlainResponse['headers'];
type WithMethod = Pick<PlainRequest, 'method'>;

const { apiHeaders, commonHeaders, mediaTypes } = contract;
const endpointHeaders = { ...commonHeaders, ...apiHeaders };
const jsonHeaders = { ...endpointHeaders, 'Content-Type': mediaTypes['.json'] };
const pageHeaders = { ...endpointHeaders, ...contract.apiPageHeaders, 'Content-Type': mediaTypes['.html'] };

function createFileHeaders(file: string): HeaderValues {
  const type = contract.getMediaType(file);
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  const headers = isBulk ? contract.downloadHeaders : contract.freshHeaders;
  return {
    ...commonHeaders,
    ...(type === mediaTypes['.html'] && contract.htmlHeaders),
    ...(`/${file}`.startsWith(API_PREFIX) ? apiHeaders : headers),
    'Content-Type': type,
  };
}

function createContent(request: PlainRequest, content: assets.Content, headers: HeaderValues): PlainResponse {
  const { parts, etag } = content;
  if (!isKnown(request.headers.get('If-None-Match'), etag))
    return createResponse(request, 200, headers, parts, etag);
  const { 'Content-Type': _, ...unchanged } = headers;
  return { status: 304, headers: { ...unchanged, ETag: etag }, body: null };
}

/** Compares weakly: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const toStrong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => toStrong(tag) === toStrong(etag));
}

export const createError = (request: WithMethod, status: number, detail: string): PlainResponse =>
  createResponse(request, status, { ...jsonHeaders, ...contract.errorHeaders }, [
    assets.encode(contract.createErrorBody(detail)),
  ]);

function createOptions(request: WithMethod, name: string): PlainResponse {
  const renders = ['application/json', 'text/html'];
  const parses = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const text = JSON.stringify({ name, description: '', renders, parses });
  return createResponse(request, 200, jsonHeaders, [assets.encode(text)]);
}

const createEmpty = (status: number, headers: HeaderValues): PlainResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: null,
});

function createResponse(
  { method }: WithMethod,
  status: number,
  headers: HeaderValues,
  parts: assets.Content['parts'],
  etag?: string,
): PlainResponse {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const sized = { ...headers, ...(etag && { ETag: etag }), 'Content-Length': String(length) };
  return { status, headers: sized, body: method === 'HEAD' ? null : parts };
}
