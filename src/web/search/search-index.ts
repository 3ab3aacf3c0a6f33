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

/** An index of which some records are as they are now, in the same places. */
export interface KnownIndex {
  readonly index: SearchIndex;
  isKnown(kind: Kind, at: number): boolean;
}

/** Columns whose texts are in parts of a thousand rows: as whole texts they would be in memory several times. */
type ColumnParts = Pick<SearchColumns, 'id' | 'generation'> & {
  readonly [name in 'slug' | 'name' | 'icon']: readonly string[] | null;
};

/** A search index that is not yet a text. */
export type SearchIndexParts = Readonly<Record<Kind, ColumnParts>>;

export const createSearchIndex = (records: EncodedRecords, known?: KnownIndex): SearchIndexParts =>
  mapKinds((kind) => {
    const knownRow = known && rowsOf(known.index[kind]);
    return toColumns(records[kind], (record, at) => {
      const row = knownRow?.(at);
      return row && known?.isKnown(kind, at) ? row : rowOf(record);
    });
  });

interface SearchRow {
  readonly name: string;
  readonly generation: number | null;
  readonly icon: string | undefined;
}

function toColumns(
  records: readonly EncodedRecord[],
  rowOf: (record: EncodedRecord, at: number) => SearchRow,
): ColumnParts {
  const slug: string[] = [];
  const name: string[] = [];
  const generation: (number | null)[] = [];
  const icon: string[] = [];
  for (let from = 0; from < records.length; from += 1000) {
    const some = records.slice(from, from + 1000);
    const rows = some.map((record, at) => rowOf(record, from + at));
    slug.push(some.map((record) => record.slug).join(MARKS.slug));
    name.push(rows.map((row) => row.name).join(MARKS.name));
    for (const row of rows) generation.push(row.generation);
    const shown = rows.flatMap((row) => row.icon ?? []);
    if (shown.length > 0) icon.push(shown.join(MARKS.icon));
  }
  const id = records.map((record, at) => record.id - (records[at - 1]?.id ?? 0));
  return { id, slug, name, generation, icon: icon.length > 0 ? icon : null };
}

/** The rows of columns, one after the other: all at once would take as much memory again. */
function rowsOf({ name, generation, icon }: SearchColumns): (at: number) => SearchRow {
  const nextName = partsOf(name, MARKS.name);
  const nextIcon = icon === null ? undefined : partsOf(icon, MARKS.icon);
  return (at) => ({ name: nextName(), generation: generation[at] ?? null, icon: nextIcon?.() });
}

/** Each call returns what is before the next mark. */
function partsOf(text: string, mark: string): () => string {
  let from = 0;
  return () => {
    const end = text.indexOf(mark, from);
    const part = text.slice(from, end === -1 ? undefined : end);
    from = end === -1 ? text.length : end + 1;
    return part;
  };
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

/** `search.json` in pieces. */
export function* encodeSearchIndex(index: SearchIndexParts): Generator<string> {
  for (const [at, kind] of kindNames.entries()) {
    const { id, slug, name, generation, icon } = index[kind];
    yield `${at === 0 ? '{' : ','}${JSON.stringify(kind)}:{"id":${JSON.stringify(id)},"slug":`;
    yield* encodeText(slug, MARKS.slug);
    yield ',"name":';
    yield* encodeText(name, MARKS.name);
    yield `,"generation":${JSON.stringify(generation)},"icon":`;
    yield* encodeText(icon, MARKS.icon);
    yield '}';
  }
  yield '}';
}

function* encodeText(parts: readonly string[] | null, mark: string): Generator<string> {
  if (parts === null) return yield 'null';
  yield '"';
  for (const [at, part] of parts.entries()) yield JSON.stringify(at === 0 ? part : mark + part).slice(1, -1);
  yield '"';
}

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
