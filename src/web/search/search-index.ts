/** The search index: every record in a few bytes, for the front page's search box, and for anyone who only needs names. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { ICONS_FOLDER, SEARCH_FILE } from '../../contract/paths.ts';
import type { Item, Move } from '../../contract/records.ts';
import { titleOf } from '../../contract/words.ts';
import type { EncodedRecord, EncodedRecords } from '../../dataset/data-set.ts';

/**
 * One kind as columns, with one entry per record, in order of id. Columns compress to half the size of records, and
 * values that follow from the slug are omitted.
 */
export interface SearchColumns {
  /** The difference to the previous id. */
  readonly id: readonly number[];
  /** Separated by spaces. */
  readonly slug: string;
  /** Separated by line breaks; empty if it is the slug in title case. */
  readonly name: string;
  readonly generation: readonly (number | null)[];
  /** Relative to `sprites/items/`, separated by spaces; empty if it is `<slug>.png`. Null for a kind without icons. */
  readonly icon: string | null;
}

/** What separates the texts of records in a column. */
const MARKS = { slug: ' ', name: '\n', icon: ' ' } as const;

/** `search.json` */
export type SearchIndex = Readonly<Record<Kind, SearchColumns>>;

/** A searchable record. */
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

type AnyRecord = Move | Item;

/** The generation of a record. Items have no such field: theirs is the first in which they have an index. */
export function generationOf(record: AnyRecord): number | null {
  if ('generation' in record) return record.generation;
  const { id1, id2, id3, id4, id5, id6, id7, id8, id9 } = record;
  const first = [id1, id2, id3, id4, id5, id6, id7, id8, id9].findIndex((index) => index !== null);
  return first < 0 ? null : first + 1;
}

export const createSearchIndex = (records: EncodedRecords): SearchIndex =>
  mapKinds((kind) => toColumns(records[kind]));

function toColumns(records: readonly EncodedRecord[]): SearchColumns {
  const rows = records.map(rowOf);
  const icons = rows.flatMap(({ icon }) => icon ?? []);
  return {
    id: records.map(({ id }, at) => id - (records[at - 1]?.id ?? 0)),
    slug: records.map(({ slug }) => slug).join(MARKS.slug),
    name: rows.map(({ name }) => name).join(MARKS.name),
    generation: rows.map(({ generation }) => generation),
    icon: icons.length > 0 ? icons.join(MARKS.icon) : null,
  };
}

interface SearchRow {
  readonly name: string;
  readonly generation: number | null;
  readonly icon: string | undefined;
}

function rowOf({ json, slug }: EncodedRecord): SearchRow {
  const record: AnyRecord = JSON.parse(json);
  return {
    name: record.name === titleOf(slug) ? '' : record.name,
    generation: generationOf(record),
    icon: 'icon' in record ? shortIcon(record) : undefined,
  };
}

const shortIcon = ({ icon, slug }: Item): string =>
  icon === iconOf(slug) ? '' : icon.slice(ICONS_FOLDER.length);

/** Restores the records. Throws if the columns differ in length. */
export function readSearchIndex(index: SearchIndex): SearchEntry[] {
  return kindNames.flatMap((kind) => fromColumns(kind, index[kind]));
}

function fromColumns(kind: Kind, columns: SearchColumns): SearchEntry[] {
  const { generation } = columns;
  const size = columns.id.length;
  const split = (column: keyof typeof MARKS): string[] | undefined =>
    size === 0 ? [] : columns[column]?.split(MARKS[column]);
  const [slugs = [], names = [], icons] = [split('slug'), split('name'), split('icon')];
  const lengths = [slugs.length, names.length, generation.length, icons?.length ?? size];
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
      name: names[at] || titleOf(slug),
      generation: generation[at] ?? null,
      icon: icon === undefined ? null : icon === '' ? iconOf(slug) : ICONS_FOLDER + icon,
    };
  });
}

const iconOf = (slug: string): string => `${ICONS_FOLDER}${slug}.png`;
