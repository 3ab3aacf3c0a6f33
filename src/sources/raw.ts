/** What every first-hand source reduces the upstream's records to, before the contract's decisions are applied. */

import * as z from 'zod';
import type { Kind } from '../contract/kinds.ts';
import { idSchema } from '../contract/records.ts';

/** The English name is null where the upstream has none. */
const rawFields = { id: idSchema, slug: z.string().min(1), englishName: z.string().nullable() };

export const rawMoveSchema = z.strictObject({ ...rawFields, generation: z.int().positive() });

export const rawItemSchema = z.strictObject({
  ...rawFields,
  /** In the upstream's order, which decides where it lists several for one generation. */
  gameIndices: z.array(z.strictObject({ generation: z.int().positive(), index: z.int().min(0) })),
  /** The link or path of its picture, or null. */
  sprite: z.string().nullable(),
});

export const rawSchemas = { move: rawMoveSchema, item: rawItemSchema } as const satisfies Record<
  Kind,
  z.ZodType
>;

type RawTypes = { [K in Kind]: z.infer<(typeof rawSchemas)[K]> };
export type RawOf<K extends Kind> = RawTypes[K];
export type RawMove = RawOf<'move'>;
export type RawItem = RawOf<'item'>;
export type RawRecords = { readonly [K in Kind]: readonly RawOf<K>[] };
