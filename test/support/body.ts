/** The body of a file as text, whether or not it comes in pieces. */

import type { Body } from '../../src/contract/site-file.ts';

export const bodyText = (body: Body): string =>
  body instanceof Uint8Array
    ? Buffer.from(body).toString('utf8')
    : typeof body === 'string'
      ? body
      : [...body].join('');
