/** The answers that endpoints share, as components: everything but a record or a list. */

import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../errors.ts';
import { preflightHeaders } from '../headers.ts';
import { endpointHeaders, headersNamed } from './headers.ts';

const refusal = (description: string, detail: string): object => ({
  description,
  headers: endpointHeaders,
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, example: { detail } },
  },
});

export const responseComponents = {
  Slash: {
    description: 'The address was sent without its final slash. The query is kept.',
    headers: { ...endpointHeaders, ...headersNamed('Location') },
  },
  NotModified: {
    description: 'The client has it already.',
    headers: { ...endpointHeaders, ...headersNamed('Cache-Control', 'ETag') },
  },
  NotBuilt: refusal(
    'Hosts without code: this window is not built. Where even this status cannot be had, it is a 404 with the same body.',
    errorDetails[400],
  ),
  NotFound: refusal('There is no such record, or no such format.', errorDetails[404]),
  MethodNotAllowed: refusal(
    'Any other method at this address: everything is a read.',
    notAllowedDetail('POST'),
  ),
  NotAcceptable: refusal('Accept names nothing that there is.', NOT_ACCEPTABLE_DETAIL),
  Options: {
    description: 'What is allowed, for people: hosts with code only.',
    headers: endpointHeaders,
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  Preflight: {
    description: 'A CORS preflight passes. Hosts without code answer every OPTIONS so.',
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
