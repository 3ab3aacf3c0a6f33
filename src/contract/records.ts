import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { isPlainObject } from './parse.ts';

/**
 * Wraps the schema of an object that has a value for each kind. Before the object is
 * validated, each missing kind gets the value `none`, because a file from an older version
 * of gamedata may have fewer kinds.
 */
export const addMissingKinds = <S extends z.ZodType>(none: unknown, schema: S) =>
  z.preprocess((value) => {
    // The schema will reject this value, because it is not an object.
    if (!isPlainObject(value)) return value;
    return { ...mapKinds(() => none), ...value };
  }, schema);

// The patterns that we publish use only syntax that ECMA-262 (with the `u` and `v`
// flags), RE2, PCRE, Java, Python and Rust interpret identically.

/**
 * Stops validation if a string is too long, so that no regular expression runs on
 * megabytes of text.
 */
export const BEFORE_EXPRESSIONS = { abort: true } as const;

export const MAX_SLUG_LENGTH = 200;

const RESERVED = /^(?:offset|con|prn|aux|nul|com\d|lpt\d)$/;
const SLUG_RULE =
  'expected a safe slug: lower-case letters, digits and inner hyphens';

const SLUG = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/;

/**
 * Returns whether a string is a safe slug. To find out why it is not, use `slugSchema`.
 */
export const isSlug = (text: string): boolean =>
  text.length <= MAX_SLUG_LENGTH && SLUG.test(text) && !RESERVED.test(text);

/** A path segment that every file system, archive and URL preserves exactly. */
export const slugSchema = z
  .string()
  .max(MAX_SLUG_LENGTH, BEFORE_EXPRESSIONS)
  .regex(SLUG, SLUG_RULE)
  .refine((slug) => !RESERVED.test(slug), SLUG_RULE)
  .describe('Identifies the record in its URL.');

const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]{1,200}$/u;
export const NAME_RULE =
  'expected text without control, bidirectional or line-break characters';

const MAX_NAME_LENGTH = 200;

/**
 * Returns whether a string is a valid name. To find out why it is not, use
 * `nameSchema`.
 */
export const isName = (text: string): boolean =>
  text.length <= MAX_NAME_LENGTH && NAME.test(text);

export const nameSchema = z
  .string()
  .min(1)
  .max(MAX_NAME_LENGTH, BEFORE_EXPRESSIONS)
  .regex(/^[^\t\n\r]*$/, NAME_RULE)
  .refine(isName, NAME_RULE)
  .describe('The English name, for display.');

// We avoid escaped hyphens in character classes because not all of these regular
// expression engines accept them.
const ICON_NAME = '[A-Za-z0-9_](?:[A-Za-z0-9_]|-)*';

export const iconSchema = z
  .string()
  .max(255, BEFORE_EXPRESSIONS)
  .regex(
    new RegExp(
      `^sprites/items/(?:${ICON_NAME}/)*${ICON_NAME}(?:[.]${ICON_NAME})*[.](?:png|gif|jpg|webp)$`,
    ),
    'expected an image under sprites/items',
  )
  .describe('The path of an image, relative to the base URL.');

export const idSchema = z
  .int()
  .min(1)
  .describe("The upstream's id. Ids are ascending, with gaps.");

const generationSchema = z
  .int()
  .min(1)
  .describe('The game generation that introduced the record.');

const gameIndexSchema = (generation: number) =>
  z
    .int()
    .min(0)
    .nullable()
    .describe(`The item's number in games of generation ${generation}, or null.`);

/** The schemas of records without `url`, which depends on the base URL. */
export const recordSchemas = {
  move: z.strictObject({
    id: idSchema,
    slug: slugSchema,
    name: nameSchema,
    generation: generationSchema,
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

export const LAST_INDEXED_GENERATION = 9;

export const MAX_RECORDS = 1_000_000;

export const skippedSchema = addMissingKinds(
  [],
  z.strictObject(mapKinds(() => z.array(idSchema))),
);
export type Skipped = Readonly<z.infer<typeof skippedSchema>>;

export const countsSchema = addMissingKinds(
  0,
  z
    .strictObject(mapKinds(() => z.int().min(0).max(MAX_RECORDS)))
    .describe('The number of records of each kind.'),
);
export type Counts = Readonly<Record<Kind, number>>;
