import { PAGE_SIZE } from './page-range.ts';

export const DEFAULT_ICONS_UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

/** The headers of every response, including errors and redirects. */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Allow',
  // Without this header, browsers would block icons and icon redirects on
  // cross-origin isolated pages.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
} as const;

export const apiHeaders = {
  Allow: 'GET, HEAD, OPTIONS',
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
} as const;

export const freshHeaders = {
  'Cache-Control': 'public, max-age=0, must-revalidate',
} as const;

export const errorHeaders = { 'Cache-Control': 'no-cache' } as const;

/**
 * The headers of bulk files. They make browsers save the files instead of showing them.
 */
export const downloadHeaders = {
  'Content-Disposition': 'attachment',
  'Cache-Control': apiHeaders['Cache-Control'],
} as const;

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

export function getMediaType(file: string): string {
  for (const [ending, mediaType] of Object.entries(mediaTypes)) {
    if (file.endsWith(ending)) return mediaType;
  }
  return 'application/octet-stream';
}

export function isCompressible(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml|x-ndjson)$/.test(mediaType);
}

/**
 * Matches the default `Accept` header of Java's `HttpURLConnection`. It lists HTML
 * first, although the client is not a browser.
 *
 * @see
 * https://github.com/openjdk/jdk/blob/master/src/java.base/share/classes/sun/net/www/protocol/http/HttpURLConnection.java
 */
export const JAVA_ACCEPT = '^text/html,\\s*image/gif,\\s*image/jpeg,\\s*\\*';

export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  // The asterisk does not include Authorization, so we list it separately:
  // https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Max-Age': '86400',
} as const;

/**
 * The headers of pages. The policy lets scripts request icons from the upstream's host,
 * because it also applies to the targets of icon redirects.
 */
export const htmlHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(DEFAULT_ICONS_UPSTREAM).origin}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/**
 * The headers of API pages. Browsers must revalidate these pages, because the pages
 * have to match the site's current scripts. The pages are private, because a cache that
 * ignores `Vary` must not send them to programs.
 */
export const apiPageHeaders = {
  ...htmlHeaders,
  'Cache-Control': 'private, max-age=0, must-revalidate',
} as const;

export const errorFiles = {
  400: '400.json',
  404: '404.json',
  405: '405.json',
} as const;

/**
 * The error messages. The message for 405 does not include the method, because the same
 * static file is served for every method.
 */
export const errorDetails: Readonly<Record<keyof typeof errorFiles, string>> = {
  400: `This host serves pages of ${PAGE_SIZE}: omit limit or set it to ${PAGE_SIZE}, and set offset to a multiple of ${PAGE_SIZE} below count.`,
  404: 'Not found.',
  405: 'Method not allowed.',
};

export const describeForbiddenMethod = (method: string): string =>
  `Method "${method}" not allowed.`;

export const createErrorBody = (detail: string): string =>
  JSON.stringify({ detail });

/**
 * The ways to serve icons: `link` redirects to the upstream, `mirror` serves copies,
 * and `none` serves a placeholder.
 */
export const iconModes = ['link', 'mirror', 'none'] as const;

export interface IconSource {
  readonly mode: (typeof iconModes)[number];
  /** The URL of the upstream's icons, without a trailing slash. */
  readonly upstream: string | null;
}

export const defaultIconSource: IconSource = {
  mode: 'link',
  upstream: DEFAULT_ICONS_UPSTREAM,
};

/**
 * Returns the URL of the folder to which requests for icons are redirected, or null if
 * the site serves its own icons.
 */
export function getIconRedirect({ mode, upstream }: IconSource): string | null {
  if (mode !== 'link' || upstream === null) return null;
  return `${upstream}/`;
}

export interface Redirect {
  readonly path: string;
  readonly to: string;
}

export const formats = ['api', 'json'] as const;
