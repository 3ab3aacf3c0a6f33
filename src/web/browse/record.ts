/**
 * Selects and formats a record's fields. The code does not depend on the schemas, so
 * the page also shows fields that are added later.
 */

export type Fields = Readonly<Record<string, unknown>>;

export const toFields = (json: unknown): Fields =>
  typeof json === 'object' && json !== null ? { ...json } : {};

export function readTextField(json: unknown, field: string): string | undefined {
  const value = toFields(json)[field];
  return typeof value === 'string' ? value : undefined;
}

/** Fields that the page shows as the title, a link or an image. */
const SHOWN_ELSEWHERE: readonly string[] = ['url', 'name', 'icon'];

/** The field names on a record's card. */
export interface CardFields {
  readonly facts: readonly string[];
  /** The index numbers: `id1` to `id9`. */
  readonly indices: readonly string[];
}

export function selectCardFields(record: Fields): CardFields {
  const facts = ['slug'];
  const indices: string[] = [];
  for (const name of Object.keys(record)) {
    if (name === 'slug' || SHOWN_ELSEWHERE.includes(name)) continue;
    const isIndex = /\d$/.test(name);
    if (isIndex) indices.push(name);
    else facts.push(name);
  }
  return { facts, indices };
}

const FIRST_COLUMNS: readonly string[] = ['name', 'slug', 'id'];

/**
 * Lists the columns for a table of records. All records in a table have the same
 * fields.
 */
export function selectColumns(record: Fields): string[] {
  const columns = [...FIRST_COLUMNS];
  for (const name of Object.keys(record)) {
    if (columns.includes(name) || SHOWN_ELSEWHERE.includes(name)) continue;
    columns.push(name);
  }
  return columns;
}

export function formatCell(value: unknown): string {
  if (value === null) return '–';
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/**
 * Returns the CSS class that aligns and colors a value. Returns undefined for text.
 */
export function classifyValue(value: unknown): 'null' | 'number' | undefined {
  if (value === null) return 'null';
  return typeof value === 'number' ? 'number' : undefined;
}

/**
 * Returns the CSS class for a column, according to its first value that is not null.
 */
export function classifyColumn(records: readonly Fields[], column: string) {
  const values = records.map((record) => record[column]);
  const firstValue = values.find((value) => value !== null);
  return classifyValue(firstValue ?? null);
}
