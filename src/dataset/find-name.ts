import type { Kind } from '../contract/kinds.ts';
import type { Names } from '../contract/names.ts';

/**
 * Finds a record's name in one language. Browsers load this module, so it imports only types: the schemas of names need a schema library,
 * which is seven times as large as our scripts.
 */
export function findName(names: Names | undefined, kind: Kind, slug: string): string | undefined {
  if (names === undefined) return undefined;
  // A slug may be `constructor`.
  if (!Object.hasOwn(names[kind], slug)) return undefined;
  return names[kind][slug];
}
