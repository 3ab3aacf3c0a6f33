/** The kinds of resource. To add one, start here: the compiler then reports every table that lacks a row for it. */

import * as z from 'zod';

/** All kinds, in the order of the API root. */
export const kindNames = ['move', 'item'] as const;
export type Kind = (typeof kindNames)[number];

/** Makes an object with one value per kind. */
export function mapKinds<T>(make: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}

/** Reads an object with a value for each kind. One that was written before there was a kind lacks it, and has `none` of it. */
export const forEveryKind = <S extends z.ZodType>(none: unknown, schema: S) =>
  z.preprocess((value) => (value instanceof Object ? { ...mapKinds(() => none), ...value } : value), schema);
