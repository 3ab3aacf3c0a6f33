/**
 * Keeps tests correct when a kind is added. Most tests are about moves and items.
 * Test data contains exactly one record of each other kind.
 */

import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';

/** The kinds other than moves and items. The list is empty until a kind is added. */
export const otherKinds = kindNames.filter(
  (kind) => !['move', 'item'].includes(kind),
);

/**
 * Creates a text for each of the other kinds, and joins these texts. Tests append
 * the result to an expected text about moves and items.
 */
export function forOthers(createText: (kind: Kind) => string): string {
  return otherKinds.map(createText).join('');
}

/** The counts to append to a summary such as `3 moves, 3 items`. */
export const oneOfOthers = forOthers((kind) => `, 1 ${kind}`);

/**
 * Returns a value for each kind. If `values` has none for a kind, `createDefault`
 * creates it.
 */
export function everyKind<T>(
  values: Partial<Record<Kind, T>>,
  createDefault: () => NoInfer<T>,
): Record<Kind, T> {
  return mapKinds((kind) => values[kind] ?? createDefault());
}

/** Creates a language's names. A kind that `namesByKind` omits has no names. */
export function namesIn(
  language: string,
  namesByKind: Partial<Omit<Names, 'language'>>,
): Names {
  const allKinds = everyKind(namesByKind, () => ({}));
  return { language, ...allKinds };
}
