/** The parameters of requests, as components. */

import * as z from 'zod';
import { slugSchema } from '../../contract/records.ts';
import { formats } from '../../contract/routes.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';

const query = (name: string, description: string, schema: object): object => ({
  name,
  in: 'query',
  description,
  schema,
});

const { $schema: _, ...slugs } = z.toJSONSchema(slugSchema);

export const parameterComponents = {
  format: query(
    'format',
    '`api` is the browsable form: JSON for programs, a page for browsers. `json` is always JSON. Any other value is a 404.',
    { type: 'string', enum: formats },
  ),
  limit: query(
    'limit',
    `The maximum number of records on the page. Hosts that do not run code reject any value but ${PAGE_SIZE}; on others, an invalid value counts as ${PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, default: PAGE_SIZE },
  ),
  offset: query(
    'offset',
    `The number of records to skip. Hosts that do not run code reject any value but multiples of ${PAGE_SIZE} below \`count\`; on others, an invalid value counts as 0, and beyond the end there are no results.`,
    { type: 'integer', minimum: 0, default: 0 },
  ),
  pageOffset: {
    name: 'offset',
    in: 'path',
    required: true,
    description: `The number of records before the page: a multiple of ${PAGE_SIZE} below \`count\`. The URL of the first page has no offset.`,
    schema: { type: 'integer', minimum: PAGE_SIZE, multipleOf: PAGE_SIZE },
  },
  slug: {
    name: 'slug',
    in: 'path',
    required: true,
    description: "The record's slug, case-sensitive.",
    schema: slugs,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a cached response: if unchanged, the response is 304.',
    schema: { type: 'string' },
  },
} as const;

export const parameter = (name: keyof typeof parameterComponents): object => ({
  $ref: `#/components/parameters/${name}`,
});
