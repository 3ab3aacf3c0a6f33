/** What changed from one data set to the next, and the history that a site publishes. */

import * as z from 'zod';
import { type Kind, mapKinds } from './kinds.ts';
import { editionSchema } from './meta.ts';
import { createMapSchema } from './parse.ts';
import { addMissingKinds, countsSchema, idSchema, nameSchema, slugSchema } from './records.ts';

const valueSchema = z.union([z.string(), z.number(), z.null()]);

const fieldChangeSchema = z.object({ field: z.string(), from: valueSchema, to: valueSchema });
export type FieldChange = z.infer<typeof fieldChangeSchema>;

const namedSchema = z.object({ id: idSchema, slug: slugSchema, name: nameSchema });
export type NamedRecord = z.infer<typeof namedSchema>;

const fields = z.array(fieldChangeSchema);

/** The changes of one kind, each list in order of id. */
const kindChangesSchema = z.object({
  added: z.array(namedSchema),
  removed: z.array(namedSchema),
  /** The same id under a new slug; `fields` are other changes. */
  renamed: z.array(z.object({ id: idSchema, from: slugSchema, to: slugSchema, fields })),
  changed: z.array(z.object({ id: idSchema, slug: slugSchema, fields })),
});
export type KindChanges = z.infer<typeof kindChangesSchema>;
export type Changes = Readonly<Record<Kind, KindChanges>>;

const noChanges: KindChanges = { added: [], removed: [], renamed: [], changed: [] };

export const changeTypes = kindChangesSchema.keyof().options;

/** One of the two data sets of a comparison, described as in `meta.json`. */
const summarySchema = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** `YYYY-MM-DD`; null if a deployment does not say. */
  captured: z.iso.date().nullable(),
  counts: countsSchema,
  /** Missing in steps of versions that did not know of editions. */
  edition: editionSchema.nullable().optional(),
});
export type DataSetSummary = z.infer<typeof summarySchema>;

const total = z.int().min(0);

/** The step from one data set to another. */
export const comparisonSchema = z.object({
  from: summarySchema,
  to: summarySchema,
  /** The number of changes of all kinds. */
  totals: z.object({ added: total, removed: total, renamed: total, changed: total }),
  changes: addMissingKinds(noChanges, z.object(mapKinds(() => kindChangesSchema))),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** `changes.json`: steps, newest first; each starts where the next one in the list ends. */
export const historySchema = z
  .object({
    steps: z.array(comparisonSchema).describe('Each change of the data, from one state to the next.'),
  })
  .refine(
    ({ steps }) => steps.every(({ from }, at) => from.digest === (steps[at + 1]?.to.digest ?? from.digest)),
    'expected consecutive steps',
  )
  .meta({ title: 'Changes', description: 'What changed, step by step, newest first.' });
export type History = z.infer<typeof historySchema>;

const formerSlugs = (kind: Kind) =>
  z
    .record(slugSchema, idSchema)
    .describe(`Former slug → the id of the ${kind} that had it last, whether it still exists or not.`);
export const formerSchema = addMissingKinds(
  {},
  z.object(mapKinds(formerSlugs)).meta({
    title: 'Former',
    description: 'The slugs that records had before they were renamed or removed.',
  }),
);

/** For reading what any version has written. */
export const formerReader = addMissingKinds(
  {},
  z.object(mapKinds(() => createMapSchema(slugSchema, idSchema))),
);

export const movedReader = createMapSchema(z.string(), z.string());
export const movedSchema = z
  .record(z.string(), z.string())
  .meta({ title: 'Moved', description: 'The former paths of renamed records, and their present ones.' });
