/** Answers: every one that the handler gives is made here, so that none can miss a header. */

import { API_PREFIX, DOWNLOAD_FOLDER } from '../contract/addresses.ts';
import { errorBody } from '../contract/errors.ts';
import {
  apiHeaders,
  commonHeaders,
  downloadHeaders,
  mediaTypeOf,
  pageHeaders,
  preflightHeaders,
} from '../contract/headers.ts';
import type { Answer, PlainRequest } from './plain.ts';
import type { Asset } from './store.ts';

export const JSON_TYPE = 'application/json';
const PAGE_TYPE = 'text/html; charset=utf-8';

/** Endings of the files that a site may hold; what is not listed is sent as bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
  atom: 'application/atom+xml',
  css: 'text/css; charset=utf-8',
  gif: 'image/gif',
  html: PAGE_TYPE,
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: JSON_TYPE,
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
};

const api = { ...commonHeaders, ...apiHeaders };

/** An asset under the API's prefix: 304 where the client has it already. */
export function answerApi(request: PlainRequest, asset: Asset, type: string): Answer {
  const page = type === PAGE_TYPE ? pageHeaders : {};
  return answerAsset(request, asset, { ...api, ...page, 'Content-Type': type });
}

/** The browsable page, instead of the JSON of the same address. */
export const answerPage = (request: PlainRequest, asset: Asset): Answer =>
  answerApi(request, asset, PAGE_TYPE);

/** A file at its own address. */
export const answerFile = (request: PlainRequest, asset: Asset, file: string): Answer =>
  answerAsset(request, asset, fileHeaders(file));

/** What a file is sent with, whoever sends it. */
export function fileHeaders(file: string): Record<string, string> {
  const type =
    mediaTypeOf(file) ?? mediaTypes[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const page = type === PAGE_TYPE ? pageHeaders : {};
  const headers = `/${file}`.startsWith(API_PREFIX) ? api : commonHeaders;
  const download = file.startsWith(DOWNLOAD_FOLDER) ? downloadHeaders : {};
  return { ...headers, ...page, ...download, 'Content-Type': type };
}

/** JSON that is no part of the site: what `OPTIONS` says of an endpoint. */
export function answerJson(request: PlainRequest, value: unknown): Answer {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return withBody(request, body, { headers: { ...api, 'Content-Type': JSON_TYPE } });
}

/** A CORS preflight: https://fetch.spec.whatwg.org/#cors-preflight-fetch */
export function answerPreflight(): Answer {
  return { status: 204, headers: { ...api, ...preflightHeaders }, body: null };
}

export function redirectTo(location: string): Answer {
  return { status: 301, headers: { ...api, Location: location }, body: null };
}

/** To a file of another site, for now: this one may hold it later. */
export function redirectAway(location: string): Answer {
  return { status: 302, headers: { ...commonHeaders, Location: location }, body: null };
}

/** A refusal. It is not cached: the next site may have what this one has not. */
export function refuse(request: PlainRequest, status: 404 | 405 | 406, detail: string): Answer {
  const body = new TextEncoder().encode(errorBody(detail));
  return withBody(request, body, {
    status,
    headers: { ...api, 'Cache-Control': 'no-cache', 'Content-Type': JSON_TYPE },
  });
}

function answerAsset(request: PlainRequest, { body, etag }: Asset, headers: Record<string, string>): Answer {
  const validated: Record<string, string> = { ...headers, ETag: etag };
  if (!isKnown(request.headers.get('If-None-Match'), etag))
    return withBody(request, body, { headers: validated });
  const { 'Content-Type': _, ...unchanged } = validated;
  return { status: 304, headers: unchanged, body: null };
}

/** HEAD gets the length and not the body. */
function withBody(
  request: PlainRequest,
  body: Uint8Array<ArrayBuffer>,
  { status = 200, headers }: { status?: number; headers: Record<string, string> },
): Answer {
  const sized = { ...headers, 'Content-Length': String(body.length) };
  return { status, headers: sized, body: request.method === 'HEAD' ? null : body };
}

/** Weak comparison: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}
