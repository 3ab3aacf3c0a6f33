/** The parameters of requests, as components. */

import * as z from 'zod';
import { slugSchema } from '../records.ts';
import { formats } from '../routes.ts';
import { PAGE_SIZE } from '../windows.ts';

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
    '`api` is the browsable form: JSON for a program, a page for a browser. `json` is JSON for everybody. Any other value is a 404.',
    { type: 'string', enum: formats },
  ),
  limit: query(
    'limit',
    `The most records on a page. Hosts without code refuse every value but ${PAGE_SIZE}; where code runs, what is no positive number counts as ${PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, default: PAGE_SIZE },
  ),
  offset: query(
    'offset',
    `How many records to leave out at the start. Hosts without code refuse what is no multiple of ${PAGE_SIZE} below \`count\`; where code runs, what is no number counts as 0, and past the end there are no results.`,
    { type: 'integer', minimum: 0, default: 0 },
  ),
  pageOffset: {
    name: 'offset',
    in: 'path',
    required: true,
    description: `How many records there are before the page: a multiple of ${PAGE_SIZE} below \`count\`. The first page has no offset in its address.`,
    schema: { type: 'integer', minimum: PAGE_SIZE, multipleOf: PAGE_SIZE },
  },
  slug: {
    name: 'slug',
    in: 'path',
    required: true,
    description: "The record's slug; letter case counts.",
    schema: slugs,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the answer that the client has: unchanged, it is not sent again.',
    schema: { type: 'string' },
  },
} as const;

export const parameter = (name: keyof typeof parameterComponents): object => ({
  $ref: `#/components/parameters/${name}`,
});
