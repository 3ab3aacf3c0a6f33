import { type ListPage, parseRecordPath } from '../../contract/paths.ts';
import { findFirstGeneration } from '../../data/find-generation.ts';
import { createPicture } from '../glyph/create-picture.ts';
import { createLink, element } from '../shared/dom.ts';
import { getPath, parseLink, readPageRange, splitPath } from './address.ts';
import { createValue } from './create-value.ts';
import { describePager, titleList } from './pager.ts';
import {
  classifyColumn,
  type Fields,
  readTextField,
  selectColumns,
  toFields,
} from './record.ts';
import type { View } from './view.ts';

export const isListPage = (json: unknown): json is ListPage =>
  Array.isArray(toFields(json).results);

/** Creates the view of a list page: a table between two pagers. */
export function createListView(address: string, page: ListPage): View {
  const [kind = ''] = splitPath(address);
  const content = [
    createPager(address, page, 'Pages'),
    ...createTable(page.results.map(toFields)),
    createPager(address, page, 'Pages, again'),
  ];
  return { title: titleList(kind, readPageRange(address)), content, isList: true };
}

/** Creates the table with a row for each record on a list page. */
function createTable(records: readonly Fields[]): HTMLElement[] {
  const [firstRecord] = records;
  if (!firstRecord) return [];
  const columns = selectColumns(firstRecord);
  const heads = columns.map((column) => {
    const attributes = { scope: 'col', class: classifyColumn(records, column) };
    return element('th', attributes, ...createHeading(column));
  });
  const rows = records.map((record) => {
    const cells = columns.map((column) => createRecordCell(record, column));
    return element('tr', {}, ...cells);
  });
  const table = element(
    'table',
    { class: 'records' },
    element('thead', { translate: 'no' }, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows),
  );
  // On phones, the table is wider than the screen. With `tabindex`, users can scroll
  // it with the keyboard.
  const attributes = {
    class: 'table',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Records',
  };
  return [element('div', attributes, table)];
}

/** Creates a heading that is short on the page and complete for screen readers. */
function createHeading(column: string): (HTMLElement | string)[] {
  const generation = /^id(\d+)$/.exec(column)?.[1];
  if (generation === undefined) return [column];
  return [
    element('span', { 'aria-hidden': 'true' }, column),
    element('span', { class: 'spoken' }, `Index number in generation ${generation}`),
  ];
}

function createRecordCell(record: Fields, column: string): HTMLElement {
  if (column === 'name') return createNameCell(record);
  const cell = createValue('td', record[column]);
  if (column === 'slug') cell.translate = false;
  return cell;
}

function createNameCell(record: Fields): HTMLElement {
  const name = String(record.name);
  const address = parseLink(String(record.url));
  const path = parseRecordPath(getPath(address ?? ''));
  if (address === undefined || !path) return element('th', { scope: 'row' }, name);
  const subject = { ...path, generation: findFirstGeneration(record) };
  const picture = createPicture(subject, readTextField(record, 'icon'));
  return element('th', { scope: 'row' }, picture, createLink(address, name));
}

/** Creates the links to other pages of a list. */
function createPager(address: string, page: ListPage, label: string): HTMLElement {
  const { summary, first, previous, next, last } = describePager(address, page);
  const steps = element(
    'div',
    { class: 'steps' },
    createStep('First', first),
    createStep('Previous', previous),
    createStep('Next', next),
    createStep('Last', last),
  );
  const range = element('p', {}, summary);
  return element('nav', { class: 'pager', 'aria-label': label }, range, steps);
}

function createStep(text: string, address: string | undefined): HTMLElement {
  if (address !== undefined) return createLink(address, text);
  return element('a', { role: 'link', 'aria-disabled': 'true' }, text);
}
