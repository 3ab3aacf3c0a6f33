import type { Kind } from '../contract/kinds.ts';
import type { Names } from '../contract/names.ts';

/**
 * Finds a record's name in one language. Browsers load this module, so it may import
 * only types. Importing the name schemas would also load the schema library, which
 * is seven times as large as all of our scripts.
 */
export function findName(
  names: Names | undefined,
  kind: Kind,
  slug: string,
): string | undefined {
  if (names === undefined) return undefined;
  // A slug such as `constructor` must not find an inherited property.
  if (!Object.hasOwn(names[kind], slug)) return undefined;
  return names[kind][slug];
}
