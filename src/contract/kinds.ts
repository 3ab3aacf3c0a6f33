/** The kinds of resource: a new one starts here, and the compiler names every table that has no row for it yet. */

/** All kinds, in the order in which `/api/gamedata/` lists them. */
export const kindNames = ['move', 'item'] as const;
export type Kind = (typeof kindNames)[number];

/** Makes an object with one value for each kind. */
export function mapKinds<T>(make: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(kindNames.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}
