/** What operations share: headers, with the values that every host is configured with, parameters and responses. */

import * as z from 'zod';
import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../../contract/errors.ts';
import { apiHeaders, commonHeaders, downloadHeaders, preflightHeaders } from '../../contract/headers.ts';
import { slugSchema } from '../../contract/records.ts';
import { formats } from '../../contract/routes.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';

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

/** A reference to a component, such as `schemas/Move`. */
export const ref = (component: string): object => ({ $ref: `#/components/${component}` });

export const headersNamed = (...names: (keyof typeof headerComponents)[]): object =>
  Object.fromEntries(names.map((name) => [name, ref(`headers/${name}`)]));

/** On every response of an endpoint, including errors. */
const endpointHeaders = headersNamed(
  'Allow',
  'Vary',
  'Access-Control-Allow-Origin',
  'X-Content-Type-Options',
);

export const successHeaders = { ...endpointHeaders, ...headersNamed('Cache-Control', 'ETag') };

const { $schema: _, ...slugs } = z.toJSONSchema(slugSchema);

const parameter = (
  name: string,
  place: 'query' | 'path' | 'header',
  description: string,
  schema: object,
) => ({
  name,
  in: place,
  ...(place === 'path' && { required: true }),
  description,
  schema,
});

export const parameterComponents = {
  format: parameter(
    'format',
    'query',
    '`api` is the browsable form: JSON for programs, a page for browsers. `json` is always JSON. Any other value is a 404.',
    { type: 'string', enum: formats },
  ),
  limit: parameter(
    'limit',
    'query',
    `The maximum number of records on the page. Hosts that do not run code reject any value but ${PAGE_SIZE}; on others, an invalid value counts as ${PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, default: PAGE_SIZE },
  ),
  offset: parameter(
    'offset',
    'query',
    `The number of records to skip. Hosts that do not run code reject any value but multiples of ${PAGE_SIZE} below \`count\`; on others, an invalid value counts as 0, and beyond the end there are no results.`,
    { type: 'integer', minimum: 0, default: 0 },
  ),
  pageOffset: parameter(
    'offset',
    'path',
    `The number of records before the page: a multiple of ${PAGE_SIZE} below \`count\`. The URL of the first page has no offset.`,
    { type: 'integer', minimum: PAGE_SIZE, multipleOf: PAGE_SIZE, examples: [PAGE_SIZE] },
  ),
  ifNoneMatch: parameter(
    'If-None-Match',
    'header',
    'The ETag of a cached response: if unchanged, the response is 304.',
    { type: 'string' },
  ),
} as const;

/** @param example a slug that exists, if any does */
export const slugParameter = (example: string | undefined): object => ({
  ...parameter('slug', 'path', "The record's slug, case-sensitive: its address, which `name` is not.", slugs),
  ...(example !== undefined && { example }),
});

const error = (description: string, detail: string): object => ({
  description,
  headers: endpointHeaders,
  content: { 'application/json': { schema: ref('schemas/ApiError'), example: { detail } } },
});

const preflight = Object.entries(preflightHeaders).map(([name, value]) => [
  name,
  { schema: { type: 'string', const: value } },
]);

export const responseComponents = {
  Slash: {
    description: 'The trailing slash is missing. The redirect keeps the query.',
    headers: { ...endpointHeaders, ...headersNamed('Location') },
  },
  NotModified: {
    description: 'The cached response is still valid.',
    headers: successHeaders,
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
    headers: { ...endpointHeaders, ...Object.fromEntries(preflight) },
  },
} as const;

export const fileNotModified = { description: 'The cached file is still valid.' };

/** Reads a file at its own URL, which every host supports. */
export const fileOperation = (
  operationId: string,
  tag: 'records' | 'names' | 'downloads' | 'site',
  summary: string,
  content: object,
  headers: object = headersNamed('Access-Control-Allow-Origin', 'X-Content-Type-Options'),
): object => ({
  operationId,
  tags: [tag],
  summary,
  parameters: [ref('parameters/ifNoneMatch')],
  responses: {
    200: { description: summary, headers, content },
    304: fileNotModified,
    404: { description: 'The site does not have this file.' },
  },
});
