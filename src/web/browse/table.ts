/** A list as a table, which can be sorted by any column. */

import { element } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import { endpointOf } from './address.ts';
import { iconOf, type JsonLinks } from './json-view.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown in another way than as text by themselves. */
export const SHOWN_APART: readonly string[] = ['url', 'name', 'icon'];
/** The columns that identify a record come first. */
const FIRST: readonly string[] = ['name', 'slug', 'id'];

/** The table; undefined if the results are not records. */
export function recordTable(results: readonly unknown[], links: JsonLinks): HTMLElement | undefined {
  const [first] = results;
  if (!isRecord(first) || !results.every(isRecord)) return undefined;
  const others = Object.keys(first).filter((name) => !SHOWN_APART.includes(name) && !FIRST.includes(name));
  const columns = [...FIRST, ...others];
  const rows = results.map((record) => ({ record, row: rowOf(record, columns, links) }));
  const body = element('tbody', {}, ...rows.map(({ row }) => row));

  function sortBy(column: string, cell: HTMLElement): void {
    const isDescending = cell.getAttribute('aria-sort') === 'ascending';
    for (const other of head.children) other.removeAttribute('aria-sort');
    cell.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
    const sorted = [...rows].sort((a, b) => compare(a.record[column], b.record[column], isDescending));
    body.replaceChildren(...sorted.map(({ row }) => row));
  }

  const head = element(
    'tr',
    {},
    ...columns.map((column) => {
      const sort = element('button', { type: 'button' }, column);
      const cell = element('th', { scope: 'col' }, sort);
      sort.addEventListener('click', () => sortBy(column, cell));
      return cell;
    }),
  );
  // Records arrive in this order.
  head.children[columns.indexOf('id')]?.setAttribute('aria-sort', 'ascending');
  // Wider than a phone: it can be scrolled by keyboard, too.
  return element(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Records' },
    element('table', { class: 'records' }, element('thead', {}, head), body),
  );
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && 'name' in value && 'slug' in value && 'id' in value;

function rowOf(record: Fields, columns: readonly string[], { hrefTo, root }: JsonLinks): HTMLElement {
  const cells = columns.map((column) => {
    const value = record[column];
    if (column !== 'name')
      return element('td', { class: value === null ? 'null' : undefined }, textOf(value));
    const icon = iconOf(record);
    const address = endpointOf(String(record.url));
    const name = textOf(value);
    const link =
      address === undefined ? name : element('a', { href: hrefTo(address), 'data-address': address }, name);
    return element('th', { scope: 'row' }, ...(icon === undefined ? [] : [iconImage(icon, root, 24)]), link);
  });
  return element('tr', {}, ...cells);
}

const textOf = (value: unknown): string =>
  value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Numbers by value, texts by the alphabet; null comes last in both directions. */
function compare(a: unknown, b: unknown, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return isDescending ? -order : order;
}

const collator = new Intl.Collator('en', { numeric: true });
