/** Builds the responses of the handler, so that none lacks a header. */

import { API_PREFIX, bulkFolders } from '../../contract/paths.ts';
import * as contract from '../../contract/responses.ts';
import { createErrorBody } from '../../contract/responses.ts';
import { type Content, encode } from './asset-store.ts';
import type { PlainRequest, PlainResponse } from './request.ts';

type HeaderValues = PlainResponse['headers'];

const { apiHeaders, apiPageHeaders, commonHeaders, htmlHeaders, mediaTypes } = contract;
export const endpointHeaders = { ...commonHeaders, ...apiHeaders };
export const jsonHeaders = { ...endpointHeaders, 'Content-Type': mediaTypes['.json'] };
/** For the browsable page at a URL of the API. */
export const pageHeaders = { ...endpointHeaders, ...apiPageHeaders, 'Content-Type': mediaTypes['.html'] };

/** Returns the headers of a file at its own URL. */
export function fileHeaders(file: string): HeaderValues {
  const type = contract.getMediaType(file);
  const isBulk = bulkFolders.some((folder) => file.startsWith(folder));
  const headers = isBulk ? contract.downloadHeaders : contract.freshHeaders;
  return {
    ...commonHeaders,
    ...(type === mediaTypes['.html'] && htmlHeaders),
    ...(`/${file}`.startsWith(API_PREFIX) ? apiHeaders : headers),
    'Content-Type': type,
  };
}

/** Responds with content, or with 304 if the client has it already. */
export function createContent(
  request: PlainRequest,
  { parts, etag }: Content,
  headers: HeaderValues,
): PlainResponse {
  const { 'Content-Type': type = '', ...unchanged }: Record<string, string> = { ...headers, ETag: etag };
  if (isKnown(request.headers.get('If-None-Match'), etag))
    return { status: 304, headers: unchanged, body: null };
  return create(request, 200, { ...unchanged, 'Content-Type': type }, parts);
}

/** Compares weakly: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const toStrong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => toStrong(tag) === toStrong(etag));
}

type WithMethod = Pick<PlainRequest, 'method'>;

export const createError = (request: WithMethod, status: number, detail: string): PlainResponse =>
  create(request, status, { ...jsonHeaders, ...contract.errorHeaders }, [encode(createErrorBody(detail))]);

/** Describes an endpoint as the reference framework does. */
export function createOptions(request: WithMethod, name: string): PlainResponse {
  const renders = ['application/json', 'text/html'];
  const parses = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const text = JSON.stringify({ name, description: '', renders, parses });
  return create(request, 200, jsonHeaders, [encode(text)]);
}

/** Responds to HEAD with the length only. */
export function create(
  { method }: WithMethod,
  status: number,
  headers: HeaderValues,
  parts: Content['parts'],
): PlainResponse {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const sized = { ...headers, 'Content-Length': String(length) };
  return { status, headers: sized, body: method === 'HEAD' ? null : parts };
}
