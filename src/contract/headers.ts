/** The headers that every host sends, by where they belong. */

import { pictures } from './routes.ts';

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
  'img-src': `'self' ${new URL(pictures.upstream).origin}`,
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
