/** Answers: every response of the handler is made here, so that none can miss a header. */

import { errorBody } from '../contract/errors.ts';
import { apiHeaders, commonHeaders, pageHeaders } from '../contract/headers.ts';
import type { Asset } from './store.ts';

export const JSON_TYPE = 'application/json';
const PAGE_TYPE = 'text/html; charset=utf-8';

/** Endings of the files that a site may hold; what is not listed is sent as bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
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
const withoutCaching = { ...api, 'Cache-Control': 'no-cache' };

/** An asset under the API's prefix: 304 where the client has it already. */
export function answerApi(request: Request, asset: Asset, type: string): Response {
  const page = type === PAGE_TYPE ? pageHeaders : {};
  return answerAsset(request, asset, { ...api, ...page, 'Content-Type': type });
}

/** The browsable page, instead of the JSON of the same address. */
export const answerPage = (request: Request, asset: Asset): Response => answerApi(request, asset, PAGE_TYPE);

/** A file at its own address. */
export function answerFile(request: Request, asset: Asset, file: string): Response {
  const type = mediaTypes[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const page = type === PAGE_TYPE ? pageHeaders : {};
  return answerAsset(request, asset, { ...commonHeaders, ...page, 'Content-Type': type });
}

/** JSON that is no part of the site: what `OPTIONS` says of an endpoint. */
export function answerJson(value: unknown): Response {
  return withBody(new TextEncoder().encode(JSON.stringify(value)), 200, {
    ...api,
    'Content-Type': JSON_TYPE,
  });
}

/** A CORS preflight: https://fetch.spec.whatwg.org/#cors-preflight-fetch */
export function answerPreflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...api,
      'Access-Control-Allow-Methods': apiHeaders.Allow,
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '86400',
    },
  });
}

export function redirectTo(location: string): Response {
  return new Response(null, { status: 301, headers: { ...api, Location: location } });
}

/** A refusal. It is not cached: the next site may have what this one has not. */
export function refuse(request: Request, status: 404 | 405 | 406, detail: string): Response {
  const body = new TextEncoder().encode(errorBody(detail));
  return withBody(request.method === 'HEAD' ? null : body, status, {
    ...withoutCaching,
    'Content-Type': JSON_TYPE,
  });
}

function answerAsset(request: Request, { body, etag }: Asset, headers: Record<string, string>): Response {
  const validated = { ...headers, ETag: etag };
  if (isKnown(request.headers.get('If-None-Match'), etag)) {
    const { 'Content-Type': _, ...rest } = validated as Record<string, string>;
    return new Response(null, { status: 304, headers: rest });
  }
  if (request.method === 'HEAD') {
    return new Response(null, {
      status: 200,
      headers: { ...validated, 'Content-Length': String(body.length) },
    });
  }
  return withBody(body, 200, validated);
}

function withBody(
  body: Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Record<string, string>,
): Response {
  const length = body === null ? {} : { 'Content-Length': String(body.length) };
  return new Response(body, { status, headers: { ...headers, ...length } });
}

/** Weak comparison: https://httpwg.org/specs/rfc9110.html#field.if-none-match */
function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const strong = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strong(tag) === strong(etag));
}
