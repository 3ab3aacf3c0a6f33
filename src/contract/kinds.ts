/** The kinds of resource. To add one, start here and in `records.ts`: the compiler then reports every table that lacks a row for it. */

/** All kinds, in the order of the API root. */
export const kindNames = ['move', 'item'] as const;
export type Kind = (typeof kindNames)[number];

/** Makes an object with one value per kind. */
export function mapKinds<T>(make: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}
