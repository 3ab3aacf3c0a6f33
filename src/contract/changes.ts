import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { editionSchema } from './meta.ts';
import { createMapSchema } from './parse.ts';
import {
  addMissingKinds,
  countsSchema,
  idSchema,
  nameSchema,
  slugSchema,
} from './records.ts';

const fieldValueSchema = z.union([z.string(), z.number(), z.null()]);
/** The value of a record's field. Null also stands for a missing field. */
export type FieldValue = z.infer<typeof fieldValueSchema>;

/** The pattern is strict because pages and feeds do not escape field names. */
export const fieldSchema = z.string().regex(/^\w{1,64}$/, 'expected a field name');
const fieldChangeSchema = z.object({
  field: fieldSchema,
  from: fieldValueSchema,
  to: fieldValueSchema,
});
export type FieldChange = z.infer<typeof fieldChangeSchema>;

export const namedSchema = z.object({
  id: idSchema,
  slug: slugSchema,
  name: nameSchema,
});
export type NamedRecord = z.infer<typeof namedSchema>;

const fields = z.array(fieldChangeSchema);

const kindChangesSchema = z.object({
  added: z.array(namedSchema),
  removed: z.array(namedSchema),
  renamed: z.array(
    z.object({ id: idSchema, from: slugSchema, to: slugSchema, fields }),
  ),
  changed: z.array(z.object({ id: idSchema, slug: slugSchema, fields })),
});
export type KindChanges = z.infer<typeof kindChangesSchema>;
export type Changes = Readonly<Record<Kind, KindChanges>>;
export const changeTypes = kindChangesSchema.keyof().options;

const noChanges: KindChanges = { added: [], removed: [], renamed: [], changed: [] };

const summarySchema = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  captured: z.iso.date().nullable(),
  counts: countsSchema,
  edition: editionSchema.nullable().optional(),
});
export type DataSetSummary = z.infer<typeof summarySchema>;

const total = z.int().min(0);

export const comparisonSchema = z.object({
  from: summarySchema,
  to: summarySchema,
  totals: z.object({ added: total, removed: total, renamed: total, changed: total }),
  changes: addMissingKinds(noChanges, z.object(mapKinds(() => kindChangesSchema))),
});
export type Comparison = z.infer<typeof comparisonSchema>;

export const historySchema = z
  .object({
    steps: z
      .array(comparisonSchema)
      .describe('Each change to the data, from one state to the next.'),
  })
  .refine(({ steps }) => areConsecutive(steps), 'expected consecutive steps')
  .meta({
    title: 'Changes',
    description: 'The changes to the data, newest step first.',
  });
export type History = z.infer<typeof historySchema>;

/**
 * Returns whether each step starts with the data set at which the next older step
 * ended. The steps are sorted from newest to oldest.
 */
function areConsecutive(steps: readonly Comparison[]): boolean {
  for (const [index, step] of steps.entries()) {
    const olderStep = steps[index + 1];
    if (olderStep && olderStep.to.digest !== step.from.digest) return false;
  }
  return true;
}

/** Maps each kind's old slugs to the ids of the records that last had them. */
export const oldSlugsReader = addMissingKinds(
  {},
  z.object(mapKinds(() => createMapSchema(slugSchema, idSchema))),
);

export const movedSchema = z.record(z.string(), z.string()).meta({
  title: 'Moved',
  description: 'Old path of a renamed record → its current path.',
});
