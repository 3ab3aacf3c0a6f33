/** The search index: every record in a few bytes, for the front page's search box, and for anyone who only needs names. */

import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { ICONS_FOLDER, SEARCH_FILE } from '../../contract/paths.ts';
import type { Item, Move } from '../../contract/records.ts';
import type { EncodedRecord, EncodedRecords } from '../../dataset/data-set.ts';
import { titleOf } from '../../text/names.ts';

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

/** An index of which some records are as they are now, in the same places. */
export interface KnownIndex {
  readonly index: SearchIndex;
  isKnown(kind: Kind, at: number): boolean;
}

export const createSearchIndex = (records: EncodedRecords, known?: KnownIndex): SearchIndex =>
  mapKinds((kind) =>
    toColumns(
      records[kind],
      known && { ...split(known.index[kind]), isKnown: (at) => known.isKnown(kind, at) },
    ),
  );

type KnownColumns = ReturnType<typeof split> & { isKnown(at: number): boolean };

/** Parses the records that are not known, and joins the texts of a thousand at a time: all of them take much memory. */
function toColumns(records: readonly EncodedRecord[], known?: KnownColumns): SearchColumns {
  const id = records.map((record, at) => record.id - (records[at - 1]?.id ?? 0));
  const slugs: string[] = [];
  const names: string[] = [];
  const generation: (number | null)[] = [];
  const icons: string[] = [];
  for (let from = 0; from < records.length; from += 1000) {
    const some = records.slice(from, from + 1000);
    const rows = some.map((record, at) =>
      known?.isKnown(from + at) ? rowAt(known, from + at) : rowOf(record),
    );
    slugs.push(some.map(({ slug }) => slug).join(' '));
    names.push(rows.map(({ name }) => name).join('\n'));
    for (const row of rows) generation.push(row.generation);
    const shown = rows.flatMap(({ icon }) => icon ?? []);
    if (shown.length > 0) icons.push(shown.join(' '));
  }
  return {
    id,
    slug: slugs.join(' '),
    name: names.join('\n'),
    generation,
    icon: icons.length > 0 ? icons.join(' ') : null,
  };
}

function rowAt({ names, generations, icons }: KnownColumns, at: number) {
  return { name: names[at] ?? '', generation: generations[at] ?? null, icon: icons?.[at] };
}

function rowOf({ json, slug }: EncodedRecord): ReturnType<typeof rowAt> {
  const record: AnyRecord = JSON.parse(json);
  return {
    name: record.name === titleOf(slug) ? '' : record.name,
    generation: generationOf(record),
    icon: 'icon' in record ? shortIcon(record) : undefined,
  };
}

const shortIcon = ({ icon, slug }: Item): string =>
  icon === iconOf(slug) ? '' : icon.slice(ICONS_FOLDER.length);

/** `search.json` in pieces, as it has megabytes for hundreds of thousands of records. */
export function* encodeSearchIndex(index: SearchIndex): Generator<string> {
  for (const [at, kind] of kindNames.entries()) {
    yield `${at === 0 ? '{' : '},'}${JSON.stringify(kind)}:{`;
    for (const [place, [name, column]] of Object.entries(index[kind]).entries())
      yield `${place === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(column)}`;
  }
  yield '}}';
}

/** Restores the records. Throws if the columns differ in length. */
export function readSearchIndex(index: SearchIndex): SearchEntry[] {
  return kindNames.flatMap((kind) => fromColumns(kind, index[kind]));
}

function split({ id, name, generation: generations, icon }: SearchColumns) {
  const parts = (text: string, mark: string): string[] => (id.length === 0 ? [] : text.split(mark));
  return { names: parts(name, '\n'), generations, icons: icon === null ? null : parts(icon, ' ') };
}

function fromColumns(kind: Kind, columns: SearchColumns): SearchEntry[] {
  const size = columns.id.length;
  const slugs = size === 0 ? [] : columns.slug.split(' ');
  const { names, generations, icons } = split(columns);
  const lengths = [slugs.length, names.length, generations.length, icons?.length ?? size];
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
      generation: generations[at] ?? null,
      icon: icon === undefined ? null : icon === '' ? iconOf(slug) : ICONS_FOLDER + icon,
    };
  });
}

const iconOf = (slug: string): string => `${ICONS_FOLDER}${slug}.png`;
