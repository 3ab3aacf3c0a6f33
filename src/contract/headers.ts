/** The headers that every host sends, by the kind of response. */

import { DEFAULT_ICONS_UPSTREAM } from './routes.ts';

/** On every response, including errors and redirects. */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  // Scripts of other origins can read few headers unless told so.
  'Access-Control-Expose-Headers': 'ETag, Allow',
  // Cross-origin isolated pages can embed an icon only with this header, on its redirect, too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** On every response under the API's prefix, including errors. */
export const apiHeaders = {
  Allow: 'GET, HEAD, OPTIONS',
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
} as const;

/** On everything else: clients ask whether it has changed, as addresses stay the same when the content does not. */
export const freshHeaders = { 'Cache-Control': 'public, max-age=0, must-revalidate' } as const;

/** On every error: the next build may have what this one has not. */
export const errorHeaders = { 'Cache-Control': 'no-cache' } as const;

/** On bulk files: browsers save them, and nothing decompresses them on the way. */
export const downloadHeaders = {
  'Content-Disposition': 'attachment',
  'Cache-Control': apiHeaders['Cache-Control'],
} as const;

/** Media types by the end of a file's name: the same on every host that can set them. Any other file is sent as bytes. */
export const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.d.ts': 'text/plain; charset=utf-8',
  '.sha256': 'text/plain; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.ndjson': 'application/x-ndjson',
  '.atom': 'application/atom+xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gz': 'application/gzip',
} as const;

export const getMediaType = (file: string): string =>
  Object.entries(mediaTypes).find(([ending]) => file.endsWith(ending))?.[1] ?? 'application/octet-stream';

/** Whether bodies of a media type are worth compressing: images and archives are compressed already. */
export const isCompressible = (type: string): boolean => /^text\/|[/+](?:json|xml|x-ndjson)$/.test(type);

/**
 * Matches the `Accept` that Java's `HttpURLConnection` sends by itself, in any version: it lists HTML first, but is no browser.
 *
 * @see https://github.com/openjdk/jdk/blob/master/src/java.base/share/classes/sun/net/www/protocol/http/HttpURLConnection.java
 */
export const JAVA_ACCEPT = '^text/html,\\s*image/gif,\\s*image/jpeg,\\s*\\*';

/** On the response to a CORS preflight. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  // Browsers do not count Authorization to the asterisk: https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Max-Age': '86400',
} as const;

/**
 * On HTML: scripts, styles and requests are limited to the site itself. Images may also come from the upstream's host, as
 * icons may be redirected there, and the policy applies to the target of a redirect too.
 */
export const htmlHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${new URL(DEFAULT_ICONS_UPSTREAM).origin}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/** On HTML below the API's prefix, which must match its scripts. Caches that ignore `Vary` must not send it to programs. */
export const apiPageHeaders = {
  ...htmlHeaders,
  'Cache-Control': 'private, max-age=0, must-revalidate',
} as const;
