/** Values for every kind, of which a test gives those that matter to it. */

import { type Kind, mapKinds } from '../../src/contract/kinds.ts';

/** Kind → the given value, or else an empty one. */
export const everyKind = <T>(given: Partial<Record<Kind, T>>, empty: () => NoInfer<T>): Record<Kind, T> =>
  mapKinds((kind) => given[kind] ?? empty());
