import { parsePageRange } from '../../contract/page-range.ts';
import {
  API_PREFIX,
  BROWSE_FILE,
  bulkFolders,
  NOT_FOUND_FILE,
} from '../../contract/paths.ts';
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
 * Creates the request handler for a site. It uses only web standards, so it runs in
 * Node, in Workers and in Deno.
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
    // A `Response` takes one body, so a `Blob` joins the parts.
    const body = response.body && new Blob([...response.body]);
    return new Response(body, {
      status: response.status,
      headers: response.headers,
    });
  };
}

/** The site that receives the requests. */
interface HandledSite {
  readonly store: AssetStore;
  /** The path of the base URL, such as `/games`. */
  readonly base: string;
}

/**
 * Creates a request handler that takes the path as it was sent, because a `Request`
 * would normalize it.
 */
export function createResponder(store: AssetStore, base = ''): Responder {
  const site: HandledSite = { store, base };
  return async (request) => {
    const response = await respond(site, request);
    // A response to HEAD has the same headers as a response to GET, including the
    // length of the omitted body.
    return request.method === 'HEAD' ? { ...response, body: null } : response;
  };
}

/** Responds to a request with any method and any path. */
async function respond(
  site: HandledSite,
  request: PlainRequest,
): Promise<PlainResponse> {
  if (isPreflight(request)) return createEmpty(204, preflightHeaders);
  const target = resolveTarget(request.path, site.base);
  switch (target.type) {
    case 'redirect':
      return redirect(site, target.path, request.search);
    case 'file':
      return respondWithFile(site, request, target.file);
    case 'nothing':
      return respondNotFound(site, request);
    default:
      return respondToEndpoint(site, request, target);
  }
}

/**
 * Returns whether the request is a CORS preflight: a browser asks whether a script may
 * send a certain request.
 *
 * @see https://fetch.spec.whatwg.org/#cors-preflight-fetch
 */
function isPreflight({ method, headers }: PlainRequest): boolean {
  return (
    method === 'OPTIONS' && headers.get('Access-Control-Request-Method') !== null
  );
}

/**
 * Responds to a request for an endpoint. Browsers get a page that shows the JSON, and
 * other clients get the JSON itself. The checks run in the same order as in the
 * reference framework, which this API imitates: format (404), method (405), lookup
 * (404).
 */
async function respondToEndpoint(
  site: HandledSite,
  request: PlainRequest,
  endpoint: Endpoint,
): Promise<PlainResponse> {
  const { method, search, headers } = request;
  const query = new URLSearchParams(search);
  const format = readFormat(query);
  if (format === 'other') return respondNotFound(site, request);
  if (method === 'OPTIONS') return createOptions(endpoint.name);
  if (!isGetOrHead(method)) {
    return createError(405, responses.describeForbiddenMethod(method));
  }

  const json = await loadJson(site, endpoint, query, format);
  if (!json) return respondToMissing(site, request, endpoint);
  if (prefersPage(format, headers.get('Accept'))) {
    const page = await site.store.get(BROWSE_FILE);
    if (page) return createContent(request, page, pageHeaders);
  }
  return createContent(request, json, jsonHeaders);
}

/** Loads the JSON of an endpoint. Returns undefined if there is no such record. */
async function loadJson(
  { store }: HandledSite,
  endpoint: Endpoint,
  query: URLSearchParams,
  format: Format,
): Promise<Representation | undefined> {
  if (endpoint.type === 'list') {
    // If the request has `format=json`, the links to other pages keep it.
    const linkFormat = format === 'json' ? 'json' : 'api';
    return loadPageRange(store, endpoint.kind, parsePageRange(query), linkFormat);
  }
  // The slug is not valid, so no record has it.
  if (endpoint.file === undefined) return undefined;
  return store.get(endpoint.file);
}

/**
 * Responds to a request for a list or a record that does not exist. Redirects the old URL
 * of a renamed record to its current URL. Any other URL gets a 404.
 */
async function respondToMissing(
  site: HandledSite,
  request: PlainRequest,
  endpoint: Endpoint,
): Promise<PlainResponse> {
  if (endpoint.type !== 'record' || endpoint.file === undefined) {
    return respondNotFound(site, request);
  }
  const currentPath = await findRedirect(site.store, endpoint.file);
  if (currentPath === undefined) return respondNotFound(site, request);
  return redirect(site, currentPath, request.search);
}

/**
 * Responds to a request for a path outside the API. Looks for the file before checking
 * the method, because a missing file results in a 404 for every method.
 */
async function respondWithFile(
  site: HandledSite,
  request: PlainRequest,
  file: string,
): Promise<PlainResponse> {
  const { method } = request;
  const fileResponse = await createFileResponse(site, request, file);
  if (!fileResponse) return respondNotFound(site, request);
  if (method === 'OPTIONS') return createEmpty(204, { Allow: apiHeaders.Allow });
  if (!isGetOrHead(method)) {
    return createError(405, responses.describeForbiddenMethod(method));
  }
  return fileResponse;
}

/**
 * Creates the response with a file's content. If the site does not contain an icon,
 * creates a redirect to the icon at the upstream. This redirect is temporary, because
 * the site may contain the icon later. Returns undefined if there is neither a file nor
 * a redirect.
 */
async function createFileResponse(
  { store }: HandledSite,
  request: PlainRequest,
  file: string,
): Promise<PlainResponse | undefined> {
  const asset = await store.get(file);
  if (asset) return createContent(request, asset, createFileHeaders(file));
  const iconUrl = await findIcon(store, file);
  if (iconUrl === undefined) return undefined;
  return createEmpty(302, { Location: iconUrl });
}

/**
 * Responds with a 404. Programs get a JSON error. Browsers get a page: in the API,
 * the page that shows JSON, and elsewhere the site's own 404 page.
 */
async function respondNotFound(
  site: HandledSite,
  request: PlainRequest,
): Promise<PlainResponse> {
  const { method, path, search, headers } = request;
  const jsonError = createError(404, responses.errorDetails[404]);
  if (!isGetOrHead(method)) return jsonError;
  const format = readFormat(new URLSearchParams(search));
  if (!prefersPage(format, headers.get('Accept'))) return jsonError;

  const isApi = path.startsWith(site.base + API_PREFIX);
  const page = await site.store.get(isApi ? BROWSE_FILE : NOT_FOUND_FILE);
  if (!page) return jsonError;
  return createResponse(404, missingPageHeaders, [page.body]);
}

function redirect(
  { base }: HandledSite,
  path: string,
  search: string,
): PlainResponse {
  return createEmpty(301, { ...apiHeaders, Location: `${base}${path}${search}` });
}

const isGetOrHead = (method: string): boolean =>
  method === 'GET' || method === 'HEAD';

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
const missingPageHeaders = { ...pageHeaders, ...responses.errorHeaders };
const errorHeaders = { ...jsonHeaders, ...responses.errorHeaders };
const preflightHeaders = { ...apiHeaders, ...responses.preflightHeaders };

/** Chooses the headers of a file based on its folder and its media type. */
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

/** Responds with content, or with a 304 if the client already has it. */
function createContent(
  request: PlainRequest,
  { body, etag }: Representation,
  headers: HeaderValues,
): PlainResponse {
  const contentHeaders = { ...headers, ETag: etag };
  const isUnchanged = isListed(etag, request.headers.get('If-None-Match'));
  if (isUnchanged) return createNotModified(contentHeaders);
  const parts = body instanceof Uint8Array ? [body] : body;
  return createResponse(200, contentHeaders, parts);
}

/**
 * Creates a 304 from the headers of the content. A 304 has no body, so the media type
 * and the length are omitted.
 */
export function createNotModified(contentHeaders: HeaderValues): PlainResponse {
  const {
    'Content-Type': _type,
    'Content-Length': _length,
    ...headers
  } = contentHeaders;
  return { status: 304, headers, body: null };
}

/**
 * Returns whether the client already has the content. ETags are compared weakly, as the
 * specification of `If-None-Match` requires.
 *
 * @see https://httpwg.org/specs/rfc9110.html#field.if-none-match
 */
function isListed(etag: string, ifNoneMatch: string | null): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const strongEtag = toStrong(etag);
  return ifNoneMatch.split(',').some((listed) => toStrong(listed) === strongEtag);
}

const toStrong = (etag: string): string => etag.trim().replace(/^W\//, '');

export function createError(status: number, detail: string): PlainResponse {
  const body = encode(responses.createErrorBody(detail));
  return createResponse(status, errorHeaders, [body]);
}

/**
 * Responds to OPTIONS with a description of the endpoint, as the reference framework
 * does.
 */
function createOptions(name: string): PlainResponse {
  const description = {
    name,
    description: '',
    renders: ['application/json', 'text/html'],
    parses: [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ],
  };
  return createResponse(200, jsonHeaders, [encode(JSON.stringify(description))]);
}

function createEmpty(status: number, headers: HeaderValues): PlainResponse {
  return { status, headers: { ...commonHeaders, ...headers }, body: null };
}

function createResponse(
  status: number,
  headers: HeaderValues,
  body: BodyParts,
): PlainResponse {
  let bytes = 0;
  for (const part of body) bytes += part.length;
  const sentHeaders = { ...headers, 'Content-Length': String(bytes) };
  return { status, headers: sentHeaders, body };
}
