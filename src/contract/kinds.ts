/**
 * Defines the record kinds. To add a kind, start here and in `records.ts`. The compiler
 * then reports every table that has no row for the new kind.
 */

export const kindNames = ['move', 'item'] as const;
export type Kind = (typeof kindNames)[number];

/** Creates an object with one value for each kind. */
export function mapKinds<T>(create: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, create(kind)])) as Record<
    Kind,
    T
  >;
}
