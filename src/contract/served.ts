/** The public schemas, with links, derived from those that validate every build. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { API_PREFIX } from './paths.ts';
import { recordSchemas } from './records.ts';

/** An absolute URL below a list's; `rest` is what may follow, as a regular expression. */
function linkSchema(kind: Kind, rest: string) {
  const pattern = new RegExp(`^https?://[^\\s?#]+${API_PREFIX}${kind}/${rest}$`);
  return z.string().regex(pattern, `expected a URL of the ${kind} list`);
}

const FILE = '(?:index\\.json)?';
const recordLink = (kind: Kind) =>
  linkSchema(kind, `(?:[a-z0-9]|-)+/${FILE}\\?format=api`).describe("The record's own URL.");
const listLink = (kind: Kind) =>
  linkSchema(kind, `${FILE}\\?format=api`).describe(`The list of all ${kind}s.`);
const windowLink = (kind: Kind) =>
  linkSchema(kind, `(?:offset/\\d+/)?${FILE}\\?format=(?:api|json)&limit=\\d+&offset=\\d+`).nullable();

/** Kind → the record as it is served, with its `url` first. */
export const servedSchemas = {
  move: z
    .strictObject({ url: recordLink('move'), ...recordSchemas.move.shape })
    .meta({ title: 'Move', description: 'A move, the same object in lists and at its own URL.' }),
  item: z
    .strictObject({ url: recordLink('item'), ...recordSchemas.item.shape })
    .meta({ title: 'Item', description: 'An item, the same object in lists and at its own URL.' }),
} as const satisfies Record<Kind, z.ZodObject>;

/** A record of any kind as it is served. */
export type ServedRecord = z.infer<(typeof servedSchemas)[Kind]>;

function pageSchema<K extends Kind>(kind: K) {
  return z
    .strictObject({
      count: z.int().min(0).describe('The total number of records on all pages.'),
      next: windowLink(kind).describe('The next page; null on the last one.'),
      previous: windowLink(kind).describe('The previous page; null on the first one.'),
      results: z.array(servedSchemas[kind]).describe('The records of this page, in order of id.'),
    })
    .meta({ title: `Page of ${kind}s`, description: `A page of the list of all ${kind}s.` });
}

/** Kind → a list page. */
export const pageSchemas = { move: pageSchema('move'), item: pageSchema('item') };

/** The API root. */
export const rootSchema = z
  .strictObject(mapKinds(listLink))
  .meta({ title: 'Root', description: 'The lists of the API.' });

/** The body of every error. */
export const errorSchema = z
  .strictObject({ detail: z.string().describe('The reason, for people.') })
  .meta({ title: 'Error', description: 'An error.' });

/** Every record of every kind in one file. */
export const bulkSchema = z
  .strictObject({
    move: z.array(servedSchemas.move).describe('Every move.'),
    item: z.array(servedSchemas.item).describe('Every item.'),
  })
  .meta({ title: 'Everything', description: 'Every record of every kind, in order of id.' });

/**
 * One kind as columns, with one entry per record, in order of id. Columns compress to half the size of records, and values that
 * follow from the slug are omitted.
 */
const columnsSchema = z.strictObject({
  id: z.array(z.int().min(1)).describe('The difference to the previous id.'),
  slug: z.string().describe('Separated by spaces.'),
  name: z.string().describe('Separated by line breaks; empty if it is the slug in title case.'),
  generation: z.array(z.int().min(1).nullable()).describe('Of an item, the first in which it has an index.'),
  icon: z
    .string()
    .nullable()
    .describe(
      'Relative to `sprites/items/`, separated by spaces; empty if it is `<slug>.png`. Null for moves.',
    ),
});
export type SearchColumns = z.infer<typeof columnsSchema>;

/** `search.json` */
export const searchSchema = z
  .strictObject(mapKinds((kind) => columnsSchema.describe(`Every ${kind}, as columns.`)))
  .meta({ title: 'Search', description: 'The search index: every record, in columns.' });
export type SearchIndex = z.infer<typeof searchSchema>;
