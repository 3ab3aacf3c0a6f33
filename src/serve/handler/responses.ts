/** Builds every response of the handler, so that none lacks a header. */

import {
  apiHeaders,
  commonHeaders,
  downloadHeaders,
  errorHeaders,
  freshHeaders,
  htmlHeaders,
  mediaTypeOf,
  mediaTypes,
} from '../../contract/headers.ts';
import { API_PREFIX, bulkFolders } from '../../contract/paths.ts';
import { errorBody } from '../../contract/routes.ts';
import type { PlainRequest, PlainResponse } from './request.ts';
import type { Content } from './store.ts';

type HeaderValues = PlainResponse['headers'];

export const endpointHeaders = { ...commonHeaders, ...apiHeaders };
/** For JSON of the API, and for the browsable page at the same URL. */
export const jsonHeaders = { ...endpointHeaders, 'Content-Type': mediaTypes['.json'] };
export const pageHeaders = { ...endpointHeaders, ...htmlHeaders, 'Content-Type': mediaTypes['.html'] };

/** The headers of a file at its own URL. */
export function fileHeaders(file: string): HeaderValues {
  const type = mediaTypeOf(file);
  const page = type === mediaTypes['.html'] ? htmlHeaders : {};
  return { ...commonHeaders, ...page, ...headersBeside(file), 'Content-Type': type };
}

function headersBeside(file: string): HeaderValues {
  if (`/${file}`.startsWith(API_PREFIX)) return apiHeaders;
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  return isBulk ? downloadHeaders : freshHeaders;
}

/** Responds with content, or with 304 if the client has it already. */
export function contentResponse(
  request: PlainRequest,
  { parts, etag }: Content,
  headers: HeaderValues,
): PlainResponse {
  const validated = { ...headers, ETag: etag };
  if (!isKnown(request.headers.get('If-None-Match'), etag))
    return bodyResponse(request, 200, validated, parts);
  const { 'Content-Type': _, ...unchanged } = validated as Record<string, string>;
  return { status: 304, headers: unchanged, body: null };
}

/** Weak comparison: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}

type WithMethod = Pick<PlainRequest, 'method'>;

export const errorResponse = (request: WithMethod, status: number, detail: string): PlainResponse =>
  textResponse(request, status, { ...jsonHeaders, ...errorHeaders }, errorBody(detail));

export const textResponse = (
  request: WithMethod,
  status: number,
  headers: HeaderValues,
  text: string,
): PlainResponse => bodyResponse(request, status, headers, [new TextEncoder().encode(text)]);

/** Responds to HEAD with the length, without the body. */
export function bodyResponse(
  { method }: WithMethod,
  status: number,
  headers: HeaderValues,
  parts: Content['parts'],
): PlainResponse {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const sized = { ...headers, 'Content-Length': String(length) };
  return { status, headers: sized, body: method === 'HEAD' ? null : parts };
}
