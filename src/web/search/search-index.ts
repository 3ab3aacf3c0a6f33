/** The search index: every record in a few bytes, for the front page's search box, and for anyone who only needs names. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { ICONS_FOLDER, SEARCH_FILE } from '../../contract/paths.ts';
import type { RecordOf } from '../../contract/records.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { titleOf } from '../../contract/words.ts';
import type { Records } from '../../dataset/data-set.ts';

export interface SearchEntry {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** For an item, the first one in which it has an index; null if there is none. */
  readonly generation: number | null;
  /** Relative to the base URL, such as `sprites/items/potion.png`; null for a kind without icons. */
  readonly icon: string | null;
}

/** The generation of a record. Items have no such field: theirs is the first in which they have an index. */
export function generationOf(record: RecordOf<Kind>): number | null {
  if ('generation' in record) return record.generation;
  const { id1, id2, id3, id4, id5, id6, id7, id8, id9 } = record;
  const first = [id1, id2, id3, id4, id5, id6, id7, id8, id9].findIndex((index) => index !== null);
  return first < 0 ? null : first + 1;
}

export const createSearchIndex = (all: Records): SearchIndex =>
  mapKinds((kind) => {
    const records = all[kind];
    const icons = records.flatMap((record) => ('icon' in record ? [shortIcon(record)] : []));
    return {
      id: records.map(({ id }, at) => id - (records[at - 1]?.id ?? 0)),
      slug: records.map(({ slug }) => slug).join(' '),
      name: records.map(({ name, slug }) => (name === titleOf(slug) ? '' : name)).join('\n'),
      generation: records.map(generationOf),
      icon: icons.length > 0 ? icons.join(' ') : null,
    };
  });

const shortIcon = ({ icon, slug }: Readonly<Record<'icon' | 'slug', string>>): string =>
  icon === iconOf(slug) ? '' : icon.slice(ICONS_FOLDER.length);

/** Restores the records. Throws if the columns differ in length. */
export const readSearchIndex = (index: SearchIndex): SearchEntry[] =>
  kindNames.flatMap((kind) => {
    const { id: steps, slug, name, generation, icon } = index[kind];
    const size = steps.length;
    const split = (text: string, mark: string): string[] => (size === 0 ? [] : text.split(mark));
    const [slugs, names] = [split(slug, ' '), split(name, '\n')];
    const icons = icon === null ? undefined : split(icon, ' ');
    const lengths = [slugs, names, generation, icons ?? slugs].map(({ length }) => length);
    if (lengths.some((length) => length !== size))
      throw new Error(`${SEARCH_FILE}: ${kind}: got columns of ${lengths.join(', ')}, expected ${size} each`);
    let id = 0;
    return slugs.map((slug, at) => {
      id += steps[at] ?? 0;
      const file = icons?.[at];
      return {
        kind,
        id,
        slug,
        name: names[at] || titleOf(slug),
        generation: generation[at] ?? null,
        icon: file === undefined ? null : file === '' ? iconOf(slug) : ICONS_FOLDER + file,
      };
    });
  });

const iconOf = (slug: string): string => `${ICONS_FOLDER}${slug}.png`;
