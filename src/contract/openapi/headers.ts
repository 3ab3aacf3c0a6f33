/** The headers of answers, as components: their values are those that every host is configured with. */

import { apiHeaders, commonHeaders, downloadHeaders } from '../headers.ts';

const header = (description: string, schema: object): object => ({ description, schema });
const fixed = (description: string, value: string): object =>
  header(description, { type: 'string', const: value });

export const headerComponents = {
  Allow: fixed('The methods that every address knows.', apiHeaders.Allow),
  Vary: fixed('The same address has JSON for programs and a page for browsers.', apiHeaders.Vary),
  'Cache-Control': fixed('How long an answer may be kept.', apiHeaders['Cache-Control']),
  'Access-Control-Allow-Origin': fixed(
    'Pages of every origin may ask.',
    commonHeaders['Access-Control-Allow-Origin'],
  ),
  'X-Content-Type-Options': fixed('The media type counts as sent.', commonHeaders['X-Content-Type-Options']),
  'Content-Disposition': fixed('Browsers keep it as a file.', downloadHeaders['Content-Disposition']),
  ETag: header('Names this version of the answer. Send it back in If-None-Match.', {
    type: 'string',
    examples: ['"2f1c6a0b"'],
  }),
  Location: header('Where to ask instead.', { type: 'string', format: 'uri-reference' }),
} as const;

type HeaderName = keyof typeof headerComponents;

/** Some of the headers, by reference. */
export const headersNamed = (...names: HeaderName[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** What comes with every answer of an endpoint, refusals included. */
export const endpointHeaders = headersNamed(
  'Allow',
  'Vary',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
);

export const successHeaders = { ...endpointHeaders, ...headersNamed('Cache-Control', 'ETag') };
