/** Names and lists of names as people read them. */

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `poke-ball` → `Poke Ball` */
export function titleOf(slug: string): string {
  let title = '';
  // A loop, as it is done for every record.
  for (const word of slug.split('-')) if (word !== '') title += (title && ' ') + capitalize(word);
  return title;
}

/** The heading of a kind's list: `move` → `Moves`. */
export const pluralTitle = (kind: string): string => `${capitalize(kind)}s`;

/** The first of many names, and how many more there are: `a, b and 3 more`. */
export function firstOf(names: readonly string[], shown = 10): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : '';
  return names.slice(0, shown).join(', ') + more;
}
