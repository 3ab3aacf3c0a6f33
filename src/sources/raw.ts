/** What REST and CSV reduce the upstream's records to, before the contract's decisions are applied. */

import * as z from 'zod';
import type { Kind } from '../contract/kinds.ts';
import { idSchema } from '../contract/records.ts';

/**
 * The version of the raw records in the disk cache. Increase it with every change to these schemas, or to how a response
 * is reduced to them: caches of other versions are discarded. A test fails if that is forgotten.
 */
export const RAW_VERSION = 2;

/** The English name is null if the upstream has none. */
const rawFields = { id: idSchema, slug: z.string().min(1), englishName: z.string().nullable() };

export const rawSchemas = {
  move: z.strictObject({ ...rawFields, generation: z.int().positive() }),
  item: z.strictObject({
    ...rawFields,
    /** In the upstream's order, which decides if it lists several for one generation. */
    gameIndices: z.array(z.strictObject({ generation: z.int().positive(), index: z.int().min(0) })),
    /** The URL or path of its icon, or null. */
    sprite: z.string().nullable(),
  }),
} as const satisfies Record<Kind, z.ZodType>;

type RawTypes = { [K in Kind]: z.infer<(typeof rawSchemas)[K]> };
export type RawOf<K extends Kind> = RawTypes[K];
export type RawMove = RawOf<'move'>;
export type RawItem = RawOf<'item'>;
export type RawRecords = { readonly [K in Kind]: readonly RawOf<K>[] };
