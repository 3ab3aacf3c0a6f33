/** The kinds of resource, one row each: a new kind starts here, and the compiler names every place it is missing. */

import type * as z from 'zod';
import { itemSchema, moveSchema } from './records.ts';

/** `record` validates one record of the kind, in the contract's key order, without its `url`. */
export const kinds = {
  move: { record: moveSchema },
  item: { record: itemSchema },
} as const;

export type Kind = keyof typeof kinds;
type RecordTypes = { [K in Kind]: z.infer<(typeof kinds)[K]['record']> };
export type RecordOf<K extends Kind> = RecordTypes[K];
export type Move = RecordOf<'move'>;
export type Item = RecordOf<'item'>;

/** All kinds, in the order in which `/api/gamedata/` lists them. */
export const kindNames = Object.keys(kinds) as readonly Kind[];

/** Makes an object with one value for each kind. */
export function mapKinds<T>(make: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}
