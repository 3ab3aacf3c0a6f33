import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';

/** Of each, there is one plain record in whatever tests make of moves and items. */
export const otherKinds = kindNames.filter(
  (kind) => !['move', 'item'].includes(kind),
);

/** What comes after what is said of moves and items. */
export const forOthers = (text: (kind: Kind) => string): string =>
  otherKinds.map(text).join('');
export const oneOfOthers = forOthers((kind) => `, 1 ${kind}`);

/** Kind → the given value, or else an empty one. */
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
