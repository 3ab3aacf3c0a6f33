/** Operations that read a file at its own URL, which every host supports. */

import { headersNamed } from './headers.ts';

export const fileOperation = (
  operationId: string,
  tag: 'records' | 'downloads' | 'site',
  summary: string,
  content: object,
  headers: object = headersNamed('Access-Control-Allow-Origin', 'X-Content-Type-Options'),
): object => ({
  operationId,
  tags: [tag],
  summary,
  responses: {
    200: { description: summary, headers, content },
    404: { description: 'The site does not have this file.' },
  },
});
