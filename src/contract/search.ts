/** The search index: every record in a few bytes, for the front page's search box and for whoever wants just names. */

import type { EncodedRecord, EncodedRecords } from './data-set.ts';
import { type Kind, kindNames, mapKinds } from './kinds.ts';
import type { Item, Move } from './records.ts';

export const SEARCH_FILE = 'search.json';

/** What icons begin with. */
const ICON_FOLDER = 'sprites/items/';

/**
 * One kind as columns: each has one entry for each record, in the order of ids. Columns compress to half of what records
 * would, and what follows from the slug is left out.
 */
export interface SearchColumns {
  /** Each id less the one before it. */
  readonly id: readonly number[];
  /** With a blank between any two. */
  readonly slug: string;
  /** With a line break between any two; empty where it is the slug's words, capitalised. */
  readonly name: string;
  readonly generation: readonly (number | null)[];
  /** Under `sprites/items/`, with a blank between any two; empty where it is `<slug>.png`. null where the kind has none. */
  readonly icon: string | null;
}

/** `search.json` */
export type SearchIndex = Readonly<Record<Kind, SearchColumns>>;

/** A record as it is searched. */
export interface SearchEntry {
  readonly kind: Kind;
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** For an item the first one that has an in-game index of it; null where none has. */
  readonly generation: number | null;
  /** Relative to the site, such as `sprites/items/potion.png`; null where the kind has none. */
  readonly icon: string | null;
}

type AnyRecord = Move | Item;

/** The generation that a record belongs to. Items name none: theirs is the first in which they have an index. */
export function generationOf(record: AnyRecord): number | null {
  if ('generation' in record) return record.generation;
  const { id1, id2, id3, id4, id5, id6, id7, id8, id9 } = record;
  const first = [id1, id2, id3, id4, id5, id6, id7, id8, id9].findIndex((index) => index !== null);
  return first < 0 ? null : first + 1;
}

export const createSearchIndex = (records: EncodedRecords): SearchIndex =>
  mapKinds((kind) => toColumns(records[kind]));

/** Parses one record after the other, so that they are not all there at once. */
function toColumns(records: readonly EncodedRecord[]): SearchColumns {
  const id: number[] = [];
  const names: string[] = [];
  const generation: (number | null)[] = [];
  const icons: string[] = [];
  for (const [at, { json, slug }] of records.entries()) {
    const record: AnyRecord = JSON.parse(json);
    id.push(record.id - (records[at - 1]?.id ?? 0));
    names.push(record.name === wordsOf(slug) ? '' : record.name);
    generation.push(generationOf(record));
    if ('icon' in record) icons.push(shortIcon(record));
  }
  return {
    id,
    slug: records.map(({ slug }) => slug).join(' '),
    name: names.join('\n'),
    generation,
    icon: icons.length > 0 ? icons.join(' ') : null,
  };
}

const shortIcon = ({ icon, slug }: Item): string =>
  icon === iconOf(slug) ? '' : icon.slice(ICON_FOLDER.length);

/** The same records again. Throws where a column is not as long as the others. */
export function readSearchIndex(index: SearchIndex): SearchEntry[] {
  return kindNames.flatMap((kind) => fromColumns(kind, index[kind]));
}

function fromColumns(kind: Kind, columns: SearchColumns): SearchEntry[] {
  const size = columns.id.length;
  const split = (text: string, mark: string): string[] => (size === 0 ? [] : text.split(mark));
  const slugs = split(columns.slug, ' ');
  const names = split(columns.name, '\n');
  const icons = columns.icon === null ? null : split(columns.icon, ' ');
  const lengths = [slugs.length, names.length, columns.generation.length, icons?.length ?? size];
  if (lengths.some((length) => length !== size)) {
    throw new Error(`${SEARCH_FILE}: ${kind}: got columns of ${lengths.join(', ')}, expected ${size} each`);
  }
  let id = 0;
  return slugs.map((slug, at) => {
    id += columns.id[at] ?? 0;
    const icon = icons?.[at];
    return {
      kind,
      id,
      slug,
      name: names[at] || wordsOf(slug),
      generation: columns.generation[at] ?? null,
      icon: icon === undefined ? null : icon === '' ? iconOf(slug) : ICON_FOLDER + icon,
    };
  });
}

const iconOf = (slug: string): string => `${ICON_FOLDER}${slug}.png`;

/** `poke-ball` → `Poke Ball` */
const wordsOf = (slug: string): string =>
  slug
    .split('-')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
