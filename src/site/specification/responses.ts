/** The responses that endpoints share, as components: everything but records and lists. */

import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../../contract/errors.ts';
import { preflightHeaders } from '../../contract/headers.ts';
import { endpointHeaders, headersNamed } from './headers.ts';

const error = (description: string, detail: string): object => ({
  description,
  headers: endpointHeaders,
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, example: { detail } },
  },
});

export const responseComponents = {
  Slash: {
    description: 'The trailing slash is missing. The redirect keeps the query.',
    headers: { ...endpointHeaders, ...headersNamed('Location') },
  },
  NotModified: {
    description: 'The cached response is still valid.',
    headers: { ...endpointHeaders, ...headersNamed('Cache-Control', 'ETag') },
  },
  NotBuilt: error(
    'On hosts that do not run code: there is no such page. Hosts that cannot send 400 send 404 with the same body.',
    errorDetails[400],
  ),
  NotFound: error('The record or the format does not exist.', errorDetails[404]),
  MethodNotAllowed: error('The API is read-only.', notAllowedDetail('POST')),
  NotAcceptable: error('The Accept header cannot be satisfied.', NOT_ACCEPTABLE_DETAIL),
  Options: {
    description: 'A description of the endpoint, on hosts that run code.',
    headers: endpointHeaders,
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  Preflight: {
    description: 'A CORS preflight; on hosts that do not run code, any OPTIONS request.',
    headers: {
      ...endpointHeaders,
      ...Object.fromEntries(
        Object.entries(preflightHeaders).map(([name, value]) => [
          name,
          { schema: { type: 'string', const: value } },
        ]),
      ),
    },
  },
} as const;

export const response = (name: keyof typeof responseComponents): object => ({
  $ref: `#/components/responses/${name}`,
});
