/** The headers that every host sends, by where they belong. */

import { DEFAULT_PICTURES_UPSTREAM } from './pictures.ts';

/** On every answer, errors and redirects included. */
export const commonHeaders = {
  'Access-Control-Allow-Origin': '*',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** On every answer under the API's prefix, and on the bodies of its refusals. */
export const apiHeaders = {
  Allow: 'GET, HEAD, OPTIONS',
  Vary: 'Accept',
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
} as const;

/** On bulk files: browsers keep them, and nobody unpacks them on the way. */
export const downloadHeaders = {
  'Content-Disposition': 'attachment',
  'Cache-Control': apiHeaders['Cache-Control'],
} as const;

/** Media types that hosts do not know, or know otherwise, by how a file's name ends. */
export const mediaTypes = {
  '.ndjson': 'application/x-ndjson',
  '.csv': 'text/csv; charset=utf-8',
  '.gz': 'application/gzip',
  '.br': 'application/octet-stream',
  '.d.ts': 'text/plain; charset=utf-8',
} as const;

/** Undefined for what every host knows by itself. */
export function mediaTypeOf(file: string): string | undefined {
  return Object.entries(mediaTypes).find(([ending]) => file.endsWith(ending))?.[1];
}

/** On the answer to a CORS preflight. */
export const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
} as const;

/**
 * On pages: they run, load and ask nothing but what the site itself holds. Pictures that it does not hold are redirected to
 * the upstream's own, and a policy counts for where a redirect leads too.
 */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': `'self' ${new URL(DEFAULT_PICTURES_UPSTREAM).origin}`,
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const;

export const pageHeaders = {
  'Content-Security-Policy': Object.entries(pagePolicy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; '),
} as const;
