import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';

/**
 * The kinds other than moves and items. Test data contains one plain record of each.
 */
export const otherKinds = kindNames.filter(
  (kind) => !['move', 'item'].includes(kind),
);

/**
 * Joins a text for each of the other kinds, to be appended to a text about moves and
 * items.
 */
export const forOthers = (text: (kind: Kind) => string): string =>
  otherKinds.map(text).join('');
export const oneOfOthers = forOthers((kind) => `, 1 ${kind}`);

/** Returns the given value for each kind, or an empty value if there is none. */
export const everyKind = <T>(
  given: Partial<Record<Kind, T>>,
  empty: () => NoInfer<T>,
): Record<Kind, T> => mapKinds((kind) => given[kind] ?? empty());

export const namesIn = (
  language: string,
  given: Partial<Omit<Names, 'language'>>,
): Names => ({
  language,
  ...everyKind(given, () => ({})),
});
