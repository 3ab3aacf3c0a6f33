/** A record as a card with its names, and a page of a list as a table with its controls. */

import { kindNames } from '../../contract/kinds.ts';
import type { ListPage } from '../../contract/paths.ts';
import { groupDigits } from '../../contract/words.ts';
import { nameIn } from '../../dataset/names.ts';
import { inLanguage, languageField, loadNames } from '../search/box.ts';
import { element, iconImage, link } from '../shared/script.ts';
import { endpointOf, partsOf, windowOf, withWindow } from './address.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown in another way than as text by themselves. */
const SHOWN_APART = ['url', 'name', 'icon'];
/** The columns that identify a record come first. */
const FIRST = ['name', 'slug', 'id'];
const PAGE_SIZES = [10, 20, 50, 100, 200, 500];

/** A field of JSON, if it is text. */
export function textIn(json: unknown, field: string): string | undefined {
  const value = typeof json === 'object' ? (json as Fields | null)?.[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

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

const valueCell = (tag: 'td' | 'dd', value: unknown): HTMLElement =>
  element(
    tag,
    { class: value === null && 'null' },
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );

/**
 * The names of a record in every language, loaded when somebody asks for them. Empty if the site has no names, or the address is
 * that of no record.
 */
export function namesOfRecord(address: string): HTMLElement[] {
  const [first, slug] = partsOf(address);
  const kind = kindNames.find((name) => name === first);
  const languages = Array.from(languageField()?.options ?? [], ({ value, text }) => ({ value, text }));
  if (languages.length === 0 || kind === undefined || slug === undefined) return [];
  const list = element('div', { role: 'status' });
  const box = element('details', {}, element('summary', {}, 'Names in every language'), list);
  const row = async ({ value, text }: (typeof languages)[number]): Promise<HTMLElement[]> => {
    const language = value || 'en';
    const name = nameIn(await loadNames(language), kind, slug);
    const head = element('th', { scope: 'row', ...inLanguage(language) }, text);
    return name === undefined ? [] : [element('tr', {}, head, element('td', inLanguage(language), name))];
  };
  box.addEventListener('toggle', async () => {
    if (!box.open || list.querySelector('table')) return;
    const rows = await Promise.all(languages.map(row)).catch(() => undefined);
    const failed = 'The names could not be loaded. Close and open this to try again.';
    list.replaceChildren(rows ? element('table', {}, element('tbody', {}, ...rows.flat())) : failed);
  });
  return [box];
}

export const isListPage = (json: unknown): json is ListPage =>
  typeof json === 'object' && json !== null && 'results' in json && Array.isArray(json.results);

/** The table; undefined if the results are not records. */
export function recordTable(results: readonly unknown[]): HTMLElement | undefined {
  const [first] = results;
  if (!isRecord(first) || !results.every(isRecord)) return undefined;
  const others = Object.keys(first).filter((name) => !SHOWN_APART.includes(name) && !FIRST.includes(name));
  const columns = [...FIRST, ...others];
  const heads = columns.map((column) => element('th', { scope: 'col' }, column));
  const head = element('thead', {}, element('tr', {}, ...heads));
  const body = element('tbody', {}, ...results.map((record) => rowOf(record, columns)));
  // Wider than a phone: it can be scrolled by keyboard, too.
  const attributes = { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Records' };
  return element('div', attributes, element('table', { class: 'records' }, head, body));
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && FIRST.every((field) => field in value);

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

/**
 * The controls of a list page: first, previous, next, last, and the page size.
 *
 * @param hasSizes whether the host serves pages of other sizes
 */
export function pager(address: string, page: ListPage, label: string, hasSizes: boolean): HTMLElement {
  const { limit, offset } = windowOf(address);
  const { count, next, previous, results } = page;
  const last = count === 0 ? 0 : count - 1 - ((count - 1) % limit);
  const at = (start: number): string => withWindow(address, { limit, offset: start });
  const control = (text: string, to: string | undefined): HTMLElement =>
    to === undefined ? element('a', { role: 'link', 'aria-disabled': 'true' }, text) : link(to, text);

  return element(
    'nav',
    { class: 'pager', 'aria-label': label },
    element('p', {}, shownRange(offset, results.length, count)),
    element(
      'div',
      { class: 'steps' },
      control('First', offset > 0 ? at(0) : undefined),
      control('Previous', endpointOf(previous ?? '')),
      control('Next', endpointOf(next ?? '')),
      control('Last', offset === last ? undefined : at(last)),
    ),
    ...(hasSizes ? [sizeLinks(address)] : []),
  );
}

function shownRange(offset: number, shown: number, count: number): string {
  const [first, last, all] = [offset + 1, offset + shown, count].map(groupDigits);
  if (shown > 0) return `Records ${first} to ${last} of ${all}`;
  return count === 0 ? 'No records' : `No records at offset ${offset}: there are ${all}`;
}

/** Links to other page sizes. The target contains the first record of this page. */
function sizeLinks(address: string): HTMLElement {
  const { limit, offset } = windowOf(address);
  const sizes = [...new Set([...PAGE_SIZES, limit])].sort((a, b) => a - b);
  const links = sizes.map((size) =>
    size === limit
      ? element('a', { role: 'link', 'aria-current': 'true' }, String(size))
      : link(withWindow(address, { limit: size, offset: offset - (offset % size) }), String(size)),
  );
  return element('p', { class: 'sizes' }, 'Page size ', ...links);
}
