/** A record as a card, and a list of records as a table, which can be sorted by any column. */

import { button, element, iconImage } from '../shared/elements.ts';
import { textIn } from '../shared/request.ts';
import { endpointOf } from './address.ts';
import { link } from './place.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown in another way than as text by themselves. */
const SHOWN_APART = ['url', 'name', 'icon'];
/** The columns that identify a record come first. */
const FIRST = ['name', 'slug', 'id'];

/** The picture and the fields of a record; empty if the response is no record. */
export function recordCard(json: unknown): HTMLElement[] {
  if (typeof json !== 'object' || json === null || !('slug' in json)) return [];
  const { slug, ...others } = json;
  const fields = Object.entries({ slug, ...others })
    .filter(([name]) => !SHOWN_APART.includes(name))
    .map(([name, value]) => element('div', {}, element('dt', {}, name), valueCell('dd', value)));
  const picture = iconOf(json, 90).map((icon) => element('p', { class: 'picture' }, icon));
  return [element('div', { class: 'card' }, ...picture, element('dl', {}, ...fields))];
}

/** The icon of a record, if it has one. */
export function iconOf(record: unknown, size?: number): HTMLElement[] {
  const icon = textIn(record, 'icon');
  return icon === undefined ? [] : [iconImage(icon, size)];
}

/**
 * The table; undefined if the results are not records.
 *
 * @param isWhole whether these are all records of the list
 */
export function recordTable(results: readonly unknown[], isWhole: boolean): HTMLElement | undefined {
  const [first] = results;
  if (!isRecord(first) || !results.every(isRecord)) return undefined;
  const others = Object.keys(first).filter((name) => !SHOWN_APART.includes(name) && !FIRST.includes(name));
  const columns = [...FIRST, ...others];
  const rows = results.map((record) => ({ record, row: rowOf(record, columns) }));
  const body = element('tbody', {}, ...rows.map(({ row }) => row));

  function sortBy(column: string, cell: HTMLElement): void {
    const isDescending = cell.getAttribute('aria-sort') === 'ascending';
    for (const other of head.children) other.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
    const sorted = [...rows].sort((a, b) => compare(a.record[column], b.record[column], isDescending));
    body.replaceChildren(...sorted.map(({ row }) => row));
  }

  const heads = columns.map((column) => {
    // Records arrive in the order of their ids.
    const attributes = { scope: 'col', 'aria-sort': column === 'id' && 'ascending' };
    const cell: HTMLElement = element(
      'th',
      attributes,
      button(column, () => sortBy(column, cell)),
    );
    return cell;
  });
  const head = element('tr', {}, ...heads);
  const scope = `Columns sort the ${results.length} records of this page, not the whole list.`;
  // Wider than a phone: it can be scrolled by keyboard, too.
  const scrolled = element(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Records' },
    element('table', { class: 'records' }, element('thead', {}, head), body),
  );
  return element('div', {}, ...(isWhole ? [] : [element('p', { class: 'quiet' }, scope)]), scrolled);
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && 'name' in value && 'slug' in value && 'id' in value;

function rowOf(record: Fields, columns: readonly string[]): HTMLElement {
  const cells = columns.map((column) => {
    if (column !== 'name') return valueCell('td', record[column]);
    const name = String(record.name);
    const address = endpointOf(String(record.url));
    const title = address === undefined ? name : link(address, name);
    return element('th', { scope: 'row' }, ...iconOf(record, 24), title);
  });
  return element('tr', {}, ...cells);
}

const valueCell = (tag: 'td' | 'dd', value: unknown): HTMLElement =>
  element(
    tag,
    { class: value === null && 'null' },
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );

/** Numbers by value, texts by the alphabet; null comes last in both directions. */
function compare(a: unknown, b: unknown, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return isDescending ? -order : order;
}

const collator = new Intl.Collator('en', { numeric: true });
