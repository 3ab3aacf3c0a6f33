/** What clients get: the public shapes, with links, made of the schemas that validate every build. */

import * as z from 'zod';
import { API_PREFIX } from './addresses.ts';
import { type Kind, mapKinds } from './kinds.ts';
import { recordSchemas } from './records.ts';

/** An absolute link below a list's address: `rest` is what may follow, as a regular expression. */
const linkSchema = (kind: Kind, rest: string) =>
  z
    .string()
    .regex(new RegExp(`^https?://[^\\s?#]+${API_PREFIX}${kind}/${rest}$`), `expected a link of ${kind}`);

const FILE = '(?:index\\.json)?';
const recordLink = (kind: Kind) =>
  linkSchema(kind, `[a-z0-9-]+/${FILE}\\?format=api`).describe("The record's own address.");
const listLink = (kind: Kind) =>
  linkSchema(kind, `${FILE}\\?format=api`).describe(`The list of every ${kind}.`);
const windowLink = (kind: Kind) =>
  linkSchema(kind, `(?:offset/\\d+/)?${FILE}\\?format=api&limit=\\d+&offset=\\d+`).nullable();

/** Kind → the record as it is served: with its `url` before everything else. */
export const servedSchemas = {
  move: z
    .strictObject({ url: recordLink('move'), ...recordSchemas.move.shape })
    .meta({ title: 'Move', description: 'A move, the same object in lists and at its own address.' }),
  item: z
    .strictObject({ url: recordLink('item'), ...recordSchemas.item.shape })
    .meta({ title: 'Item', description: 'An item, the same object in lists and at its own address.' }),
} as const satisfies Record<Kind, z.ZodObject>;

function pageSchema<K extends Kind>(kind: K) {
  return z
    .strictObject({
      count: z.int().min(0).describe('How many records the list has on all its pages.'),
      next: windowLink(kind).describe('The next page; null on the last one.'),
      previous: windowLink(kind).describe('The page before; null on the first one.'),
      results: z.array(servedSchemas[kind]).describe('The records of this page, by rising id.'),
    })
    .meta({ title: `Page of ${kind}s`, description: `A page of the list of every ${kind}.` });
}

/** Kind → a list page. */
export const pageSchemas = { move: pageSchema('move'), item: pageSchema('item') } as const satisfies Record<
  Kind,
  z.ZodObject
>;

/** What the address of the API itself answers. */
export const rootSchema = z
  .strictObject(mapKinds(listLink))
  .meta({ title: 'Root', description: 'The lists that there are.' });

/** The body of every refusal. */
export const errorSchema = z
  .strictObject({ detail: z.string().describe('What is wrong, for people.') })
  .meta({ title: 'Error', description: 'Why a request is refused.' });

/** Every record of every kind in one file. */
export const bulkSchema = z
  .strictObject({ move: z.array(servedSchemas.move), item: z.array(servedSchemas.item) })
  .meta({ title: 'Everything', description: 'Every record of every kind, by rising id.' });
