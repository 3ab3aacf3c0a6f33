/** The headers of responses, as components, with the values that every host is configured with. */

import { apiHeaders, commonHeaders, downloadHeaders } from '../../contract/headers.ts';

const header = (description: string, schema: object): object => ({ description, schema });
const fixed = (description: string, value: string): object =>
  header(description, { type: 'string', const: value });

export const headerComponents = {
  Allow: fixed('The allowed methods.', apiHeaders.Allow),
  Vary: fixed('The same URL serves JSON to programs and a page to browsers.', apiHeaders.Vary),
  'Cache-Control': fixed('How long a response may be cached.', apiHeaders['Cache-Control']),
  'Access-Control-Allow-Origin': fixed(
    'Every origin is allowed.',
    commonHeaders['Access-Control-Allow-Origin'],
  ),
  'X-Content-Type-Options': fixed(
    'Browsers must not guess the media type.',
    commonHeaders['X-Content-Type-Options'],
  ),
  'Content-Disposition': fixed('Browsers save it as a file.', downloadHeaders['Content-Disposition']),
  ETag: header('Identifies this version of the response, for If-None-Match.', {
    type: 'string',
    examples: ['"2f1c6a0b"'],
  }),
  Location: header('The URL to use instead.', { type: 'string', format: 'uri-reference' }),
} as const;

type HeaderName = keyof typeof headerComponents;

/** References to headers. */
export const headersNamed = (...names: HeaderName[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** On every response of an endpoint, including errors. */
export const endpointHeaders = headersNamed(
  'Allow',
  'Vary',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
);

export const successHeaders = { ...endpointHeaders, ...headersNamed('Cache-Control', 'ETag') };
