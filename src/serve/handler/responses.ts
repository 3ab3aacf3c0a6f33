/** Makes every response of the handler, so that none lacks a header. */

import { errorBody } from '../../contract/errors.ts';
import * as contract from '../../contract/headers.ts';
import { API_PREFIX, bulkFolders } from '../../contract/paths.ts';
import type { PlainRequest, PlainResponse } from './plain-request.ts';
import type { Asset } from './store.ts';

export const { '.json': JSON_TYPE, '.html': HTML_TYPE } = contract.mediaTypes;

const api = { ...contract.commonHeaders, ...contract.apiHeaders };

/** JSON of the API: 304 if the client has it already. */
export const apiResponse = (request: PlainRequest, asset: Asset): PlainResponse =>
  assetResponse(request, asset, { ...api, 'Content-Type': JSON_TYPE });

/** The browsable page, in place of the JSON at the same URL. */
export const browseResponse = (request: PlainRequest, asset: Asset): PlainResponse =>
  assetResponse(request, asset, { ...api, ...contract.htmlHeaders, 'Content-Type': HTML_TYPE });

/** A file at its own URL. */
export const fileResponse = (request: PlainRequest, asset: Asset, file: string): PlainResponse =>
  assetResponse(request, asset, fileHeaders(file));

/** The headers of a file. */
export function fileHeaders(file: string): Record<string, string> {
  const type = contract.mediaTypeOf(file);
  const page = type === HTML_TYPE ? contract.htmlHeaders : {};
  return { ...contract.commonHeaders, ...page, ...headersBeside(file), 'Content-Type': type };
}

function headersBeside(file: string): Readonly<Record<string, string>> {
  if (`/${file}`.startsWith(API_PREFIX)) return contract.apiHeaders;
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  return isBulk ? contract.downloadHeaders : contract.freshHeaders;
}

/** JSON that is not a file of the site: the response to `OPTIONS`. */
export function jsonResponse(request: PlainRequest, value: unknown): PlainResponse {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return withBody(request, body, { headers: { ...api, 'Content-Type': JSON_TYPE } });
}

/** A CORS preflight: https://fetch.spec.whatwg.org/#cors-preflight-fetch */
export function preflightResponse(): PlainResponse {
  return { status: 204, headers: { ...api, ...contract.preflightHeaders }, body: null };
}

export function movedPermanently(location: string): PlainResponse {
  return { status: 301, headers: { ...api, Location: location }, body: null };
}

/** To a file of another site. Temporary, as this site may hold it later. */
export function foundElsewhere(location: string): PlainResponse {
  return { status: 302, headers: { ...contract.commonHeaders, Location: location }, body: null };
}

/** The page that a browser gets instead of an error's JSON. */
export const notFoundPage = (request: PlainRequest, { body }: Asset): PlainResponse =>
  withBody(request, body, {
    status: 404,
    headers: { ...api, ...contract.htmlHeaders, ...contract.errorHeaders, 'Content-Type': HTML_TYPE },
  });

export function errorResponse(request: Asked, status: number, detail: string): PlainResponse {
  const body = new TextEncoder().encode(errorBody(detail));
  return withBody(request, body, {
    status,
    headers: { ...api, ...contract.errorHeaders, 'Content-Type': JSON_TYPE },
  });
}

function assetResponse(
  request: PlainRequest,
  { body, etag, link }: Asset,
  headers: Readonly<Record<string, string>>,
): PlainResponse {
  const validated: Record<string, string> = { ...headers, ETag: etag, ...(link && { Link: link }) };
  if (!isKnown(request.headers.get('If-None-Match'), etag))
    return withBody(request, body, { headers: validated });
  const { 'Content-Type': _, ...unchanged } = validated;
  return { status: 304, headers: unchanged, body: null };
}

type Asked = Pick<PlainRequest, 'method'>;

/** HEAD gets the length without the body. */
function withBody(
  { method }: Asked,
  body: Uint8Array<ArrayBuffer>,
  { status = 200, headers }: { status?: number; headers: Readonly<Record<string, string>> },
): PlainResponse {
  const sized = { ...headers, 'Content-Length': String(body.length) };
  return { status, headers: sized, body: method === 'HEAD' ? null : body };
}

/** Weak comparison: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}
