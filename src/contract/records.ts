/** The schemas of records, which validate every build, and the types inferred from them. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { isPlainObject } from './parse.ts';

/** Reads an object with a value for each kind. One that was written before there was a kind lacks it, and has `none` of it. */
export const addMissingKinds = <S extends z.ZodType>(none: unknown, schema: S) =>
  z.preprocess((value) => (isPlainObject(value) ? { ...mapKinds(() => none), ...value } : value), schema);

/**
 * What follows is published as JSON Schema: patterns are what ECMA-262 (with `u` and with `v`), RE2, PCRE, Java, Python and Rust
 * read alike, and the rest is checked by functions.
 */

const RESERVED = /^(?:offset|con|prn|aux|nul|com\d|lpt\d)$/;
const SLUG_RULE = 'expected a safe slug: lower-case letters, digits and inner hyphens';

/**
 * A slug is one path segment that every file system, archive and URL preserves: lower-case letters, digits and inner
 * hyphens, at most 200 characters, neither the folder of list pages nor a name that Windows reserves.
 */
export const slugSchema = z
  .string()
  .max(200)
  .regex(/^[a-z0-9]+(?:-+[a-z0-9]+)*$/, SLUG_RULE)
  .refine((slug) => !RESERVED.test(slug), SLUG_RULE)
  .describe("The path key of the record's URL.");

/** The same in one expression, for what has ten times as many names as records. */
export const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]{1,200}$/u;
export const NAME_RULE = 'expected text without control, bidirectional or line-break characters';

/** A display name: neither empty nor endless, without characters that could disturb a terminal, a page or a CSV cell. */
export const nameSchema = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\t\n\r]*$/, NAME_RULE)
  .refine((name) => NAME.test(name), NAME_RULE)
  .describe('The English name, for display.');

/** A hyphen in a class would need an escape in some of these languages, and must not have one in others. */
const ICON_NAME = '[A-Za-z0-9_](?:[A-Za-z0-9_]|-)*';

/** The path of an icon under `sprites/items`, without a host, never leading out of that folder. */
export const iconSchema = z
  .string()
  .max(255)
  .regex(
    new RegExp(`^sprites/items/(?:${ICON_NAME}/)*${ICON_NAME}(?:[.]${ICON_NAME})*[.](?:png|gif|jpg|webp)$`),
    'expected an image under sprites/items',
  )
  .describe('The path of an image, relative to the base URL.');

export const idSchema = z.int().min(1).describe("The upstream's id. Ids are ascending, with gaps.");

const gameIndexSchema = (generation: number) =>
  z
    .int()
    .min(0)
    .nullable()
    .describe(`The item's number within the games of generation ${generation}; null if it has none.`);

/** Kind → its record as in a data set: everything but its `url`, which depends on the base URL. */
export const recordSchemas = {
  move: z.strictObject({
    id: idSchema,
    slug: slugSchema,
    name: nameSchema,
    generation: z.int().min(1).describe('The game generation that introduced the move.'),
  }),
  item: z.strictObject({
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
  }),
} as const satisfies Record<Kind, z.ZodObject>;

export type RecordOf<K extends Kind> = z.infer<(typeof recordSchemas)[K]>;
export type Move = RecordOf<'move'>;
export type Item = RecordOf<'item'>;

/** The last one for which items have a field. */
export const LAST_INDEXED_GENERATION = 9;

/** No list has more: what is read may have been written by anybody. */
export const MAX_RECORDS = 1_000_000;

/** Kind → the ids of records that were left out on purpose. */
export const skippedSchema = addMissingKinds([], z.strictObject(mapKinds(() => z.array(idSchema))));
export type Skipped = Readonly<z.infer<typeof skippedSchema>>;

export const countsSchema = addMissingKinds(
  0,
  z
    .strictObject(mapKinds(() => z.int().min(0).max(MAX_RECORDS)))
    .describe('The number of records of each kind.'),
);
export type Counts = Readonly<Record<Kind, number>>;
