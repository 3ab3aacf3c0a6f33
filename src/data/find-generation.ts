const INDEX_FIELD = /^id(\d+)$/;

/**
 * Returns the generation of a move, or the first generation in which an item has an
 * index number. Returns null for an item without index numbers. Browsers run this
 * function, so it does not use the schemas.
 */
export function findFirstGeneration(record: object): number | null {
  // The fields `id1` to `id9` are in order of generation.
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'number') continue;
    if (name === 'generation') return value;
    const generation = INDEX_FIELD.exec(name)?.[1];
    if (generation !== undefined) return Number(generation);
  }
  return null;
}

/** Names a generation in the search form: `3`, or `none` for items without index numbers. */
export const nameGeneration = (generation: number | null): string =>
  String(generation ?? 'none');
