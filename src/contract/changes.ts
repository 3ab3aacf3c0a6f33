/** What changed from one data set to the next, and the history of it that a site publishes. */

import * as z from 'zod';
import { countsSchema } from './data-set.ts';
import { type Kind, mapKinds } from './kinds.ts';
import { idSchema, nameSchema, slugSchema } from './records.ts';

/** The history, and the same as a feed. */
export const CHANGES_FILE = 'changes.json';
export const FEED_FILE = 'changes.atom';

/** A field's value, as records have it. */
const valueSchema = z.union([z.string(), z.number(), z.null()]);

/** A field that has another value than before. */
const fieldChangeSchema = z.strictObject({ field: z.string(), from: valueSchema, to: valueSchema });
export type FieldChange = z.infer<typeof fieldChangeSchema>;

const namedSchema = z.strictObject({ id: idSchema, slug: slugSchema, name: nameSchema });
export type NamedRecord = z.infer<typeof namedSchema>;

/** What became of the records of one kind, each list by rising id. */
const kindChangesSchema = z.strictObject({
  added: z.array(namedSchema),
  removed: z.array(namedSchema),
  /** The same id under a new slug; `fields` are those that changed besides. */
  renamed: z.array(
    z.strictObject({ id: idSchema, from: slugSchema, to: slugSchema, fields: z.array(fieldChangeSchema) }),
  ),
  changed: z.array(z.strictObject({ id: idSchema, slug: slugSchema, fields: z.array(fieldChangeSchema) })),
});
export type KindChanges = z.infer<typeof kindChangesSchema>;
export type Changes = Readonly<Record<Kind, KindChanges>>;

/** What can become of a record. */
export const changeTypes = [
  'added',
  'removed',
  'renamed',
  'changed',
] as const satisfies (keyof KindChanges)[];

/** One of the two data sets that were compared. */
const editionSchema = z.strictObject({
  /** As `meta.json` has it. */
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** `YYYY-MM-DD`; null where a deployment does not say. */
  captured: z.iso.date().nullable(),
  counts: countsSchema,
});
export type DataEdition = z.infer<typeof editionSchema>;

/** The step from one data set to another. */
export const comparisonSchema = z.strictObject({
  from: editionSchema,
  to: editionSchema,
  /** How many records of all kinds were added, and so on. */
  totals: z.strictObject({
    added: z.int().min(0),
    removed: z.int().min(0),
    renamed: z.int().min(0),
    changed: z.int().min(0),
  }),
  changes: z.strictObject(mapKinds(() => kindChangesSchema)),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** `changes.json`: steps, the newest first; each begins where the next one in the list ends. */
export const historySchema = z
  .strictObject({ steps: z.array(comparisonSchema) })
  .refine(
    ({ steps }) => steps.every(({ from }, at) => from.digest === (steps[at + 1]?.to.digest ?? from.digest)),
    'expected steps that follow on each other',
  );
export type History = z.infer<typeof historySchema>;
