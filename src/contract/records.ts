/** What a record is: the schemas that validate every build, and the types that follow from them. */

import * as z from 'zod';
import type { Kind } from './kinds.ts';

/**
 * A slug is one path segment that every file system, archive and URL keeps as it is: lower-case letters, digits and
 * inner hyphens, at most 200 characters, never the folder of the list pages and never a name that Windows reserves.
 */
export const slugSchema = z
  .string()
  .max(200)
  .regex(/^(?!(?:offset|con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9]+(?:-+[a-z0-9]+)*$/, 'expected a safe slug')
  .describe("The path key of the record's address.");

/** A display name: not empty, and nothing in it that a terminal, a page or a CSV cell could trip over. */
export const nameSchema = z
  .string()
  .min(1)
  .regex(
    /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u,
    'expected text without control, bidirectional or line-break characters',
  )
  .describe('The English name, for display.');

/** The path of a picture under `sprites/items`, without a host and without a way out of that folder. */
export const iconSchema = z
  .string()
  .max(255)
  .regex(
    /^sprites\/items\/(?:\w[\w-]*\/)*\w(?:[\w-]|\.(?=\w))*\.(?:png|gif|jpg|webp)$/,
    'expected a picture under sprites/items',
  )
  .describe('The path of a picture, relative to the base URL.');

export const idSchema = z
  .int()
  .positive()
  .describe("The upstream's id. Ids rise from one record to the next, with gaps.");

const gameIndexSchema = (generation: number) =>
  z
    .int()
    .min(0)
    .nullable()
    .describe(`The in-game index in generation ${generation}; null where it has none.`);

/** A move as a data set holds it: everything but its `url`, which depends on where the site is served. */
const moveSchema = z.strictObject({
  id: idSchema,
  slug: slugSchema,
  name: nameSchema,
  generation: z.int().positive().describe('The game generation that introduced the move.'),
});

/** An item as a data set holds it. `id1` … `id9` are its in-game indices in generations 1 … 9. */
const itemSchema = z.strictObject({
  id: idSchema,
  id1: gameIndexSchema(1),
  id2: gameIndexSchema(2),
  id3: gameIndexSchema(3),
  id4: gameIndexSchema(4),
  id5: gameIndexSchema(5),
  id6: gameIndexSchema(6),
  id7: gameIndexSchema(7),
  id8: gameIndexSchema(8),
  id9: gameIndexSchema(9),
  slug: slugSchema,
  name: nameSchema,
  icon: iconSchema,
});

/** Kind → its record, without `url`. */
export const recordSchemas = { move: moveSchema, item: itemSchema } as const satisfies Record<
  Kind,
  z.ZodObject
>;

type RecordTypes = { [K in Kind]: z.infer<(typeof recordSchemas)[K]> };
export type RecordOf<K extends Kind> = RecordTypes[K];
export type Move = RecordOf<'move'>;
export type Item = RecordOf<'item'>;

/** The highest generation that has a field of its own in an item. */
export const LAST_INDEXED_GENERATION = 9;
