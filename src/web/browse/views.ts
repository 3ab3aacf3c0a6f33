/** Requests an endpoint, and renders its response. */

import {
  type ListPage,
  parseRecordPath,
  type RecordPath,
} from '../../contract/paths.ts';
import { findName } from '../../data/find-name.ts';
import {
  createResult,
  findLanguageField,
  getLangAttributes,
  loadNames,
  loadSearchEngine,
} from '../search/search-box.ts';
import {
  createButton,
  createIcon,
  createLink,
  element,
  folderPage,
  getMessage,
  highlight,
  linkStyle,
  siteRoot,
} from '../shared/dom.ts';
import {
  fetchPath,
  getPath,
  parseLink,
  readPageRange,
  splitPath,
} from './address.ts';
import { describePager, titleList } from './pager.ts';
import {
  describeError,
  describeUnreadable,
  formatStatus,
  type PageProblem,
  suggestWays,
  unbuiltPage,
} from './problem.ts';
import {
  classifyColumn,
  classifyValue,
  type Fields,
  formatCell,
  hasIndices,
  readTextField,
  selectCardFields,
  selectColumns,
  toFields,
} from './record.ts';

export interface View {
  readonly title: string;
  readonly content: readonly HTMLElement[];
  /**
   * Content that requires another request. The page adds it at the bottom when it is
   * ready.
   */
  readonly later?: Promise<readonly HTMLElement[]>;
  readonly isList?: boolean;
}

/**
 * Loads an address, and creates the view for the response.
 *
 * @param retry loads the same address again
 */
export async function loadView(
  address: string,
  signal: AbortSignal,
  retry: () => void,
): Promise<View> {
  const path = fetchPath(address, linkStyle);
  if (path === undefined) return createProblemView(unbuiltPage, createWays(address));
  const tryAgain = element('p', {}, createButton('Try again', retry));
  let response: Response;
  let text: string;
  try {
    response = await fetch(siteRoot + path, {
      headers: { Accept: 'application/json' },
      signal,
    });
    text = await response.text();
  } catch (error) {
    const reason = 'The request failed without a response. Are you offline?';
    const detail = element('p', { class: 'quiet' }, `Browser: ${getMessage(error)}`);
    return createProblemView({ title: 'No response', reason }, tryAgain, detail);
  }
  const json = parseJson(text);
  if (json === undefined) {
    const problem = describeUnreadable(
      response,
      response.headers.get('Content-Type'),
    );
    return createProblemView(problem, createWays(address), tryAgain);
  }
  if (!response.ok) return createErrorView(response, json, address);
  if (isListPage(json)) return createListView(address, json);
  return createRecordView(response, json, address);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const createProblemView = (
  { title, reason }: PageProblem,
  ...content: readonly HTMLElement[]
): View => ({
  title,
  content: [element('p', { class: 'lead' }, reason), ...content],
});

/**
 * Creates the view for an error. The problem and the links appear immediately.
 * Suggestions follow later, because they require the search index.
 */
function createErrorView(response: Response, json: unknown, address: string): View {
  const problem = describeError(response, readTextField(json, 'detail'), address);
  const view = createProblemView(problem, createWays(address));
  const box = createResponseBox(response, json);
  if (response.status !== 404) return { ...view, content: [...view.content, box] };
  const later = suggestRecords(address).then((suggestions) => [...suggestions, box]);
  return { ...view, later };
}

/** Suggests records whose slugs are similar to the unknown slug in an address. */
async function suggestRecords(address: string): Promise<HTMLElement[]> {
  const [kind = '', slug] = splitPath(address);
  if (slug === undefined) return [];
  try {
    const engine = await loadSearchEngine();
    const records = engine.suggest(decodeURIComponent(slug), kind);
    if (records.length === 0) return [];
    const items = records.map((record) => createResult(record));
    return [
      element('h2', {}, 'Did you mean'),
      element('ul', { class: 'results', role: 'list' }, ...items),
    ];
  } catch {
    // The view is complete even without suggestions.
    return [];
  }
}

function createWays(address: string): HTMLElement {
  const links = suggestWays(address).map((way) => createLink(way.address, way.text));
  links.push(element('a', { href: siteRoot + folderPage }, 'Search'));
  const items = links.map((link) => element('li', {}, link));
  return element('ul', { class: 'ways', role: 'list' }, ...items);
}

function createRecordView(response: Response, json: unknown, address: string): View {
  const [kind, slug] = splitPath(address);
  const box = createResponseBox(response, json);
  if (kind === undefined) return { title: 'Kinds of records', content: [box] };
  const title = readTextField(json, 'name') ?? slug ?? kind;
  return { title, content: [...createCard(json), box, ...createNames(address)] };
}

const SHOWN_HEADERS = [
  'Allow',
  'Content-Type',
  'Vary',
  'Cache-Control',
  'ETag',
  'Last-Modified',
];

/** Creates the box with the response's headers and its JSON, whose URLs are links. */
function createResponseBox(response: Response, json: unknown): HTMLElement {
  const head = element(
    'pre',
    { class: 'head' },
    element('b', {}, formatStatus(response)),
  );
  for (const name of SHOWN_HEADERS) {
    const value = response.headers.get(name);
    if (value === null) continue;
    head.append('\n', element('span', { class: 'key' }, `${name}:`), ` ${value}`);
  }
  const body = highlight(JSON.stringify(json, null, 4), (text) => {
    const address = parseLink(JSON.parse(text));
    return address === undefined ? undefined : createLink(address, text);
  });
  return element(
    'section',
    { class: 'response', 'aria-label': 'Response' },
    head,
    element('pre', { class: 'json' }, ...body),
  );
}

/** Creates the card with a record's icon and fields. Other JSON has no card. */
function createCard(json: unknown): HTMLElement[] {
  const record = toFields(json);
  if (record.slug === undefined) return [];
  const { facts, indices } = selectCardFields(record);
  const lists = element(
    'div',
    {},
    createFacts(record, facts),
    createFacts(record, indices),
  );
  const card = element('div', { class: 'card' });
  for (const icon of createRecordIcon(record, 90)) {
    card.append(element('p', { class: 'picture' }, icon));
  }
  card.append(lists);
  return [card, ...createIndexNote(record)];
}

/** Lists the values of the named fields. */
function createFacts(record: Fields, names: readonly string[]): HTMLElement {
  const list = element('dl', { translate: 'no', hidden: names.length === 0 });
  for (const name of names) {
    const value = createValue('dd', record[name]);
    list.append(element('div', {}, element('dt', {}, name), value));
  }
  return list;
}

function createIndexNote(record: unknown): HTMLElement[] {
  if (!hasIndices(record)) return [];
  const note =
    "id1 to id9 are in-game indices: the item's numbers in the games of generations 1 to 9. A dash means null.";
  return [element('p', { class: 'quiet' }, note)];
}

function createRecordIcon(record: unknown, size: number): HTMLElement[] {
  const icon = readTextField(record, 'icon');
  return icon === undefined ? [] : [createIcon(icon, size)];
}

const createValue = (tag: 'td' | 'dd', value: unknown): HTMLElement =>
  element(tag, { class: classifyValue(value) }, formatCell(value));

/** Creates a box that loads the record's names when the user opens it. */
function createNames(address: string): HTMLElement[] {
  const record = parseRecordPath(getPath(address));
  const languages = findLanguageField()?.options ?? [];
  if (languages.length === 0 || !record) return [];
  const list = element('div', { role: 'status' });
  const box = element(
    'details',
    {},
    element('summary', {}, 'Names in every language'),
    list,
  );

  const showNames = async (): Promise<void> => {
    const isLoaded = list.querySelector('table') !== null;
    if (!box.open || isLoaded) return;
    try {
      const loadingRows = Array.from(languages, (option) =>
        createNameRow(record, option),
      );
      const rows = await Promise.all(loadingRows);
      list.replaceChildren(
        element('table', {}, element('tbody', {}, ...rows.flat())),
      );
    } catch {
      list.replaceChildren(
        'The names could not be loaded. Close and open this to try again.',
      );
    }
  };
  box.addEventListener('toggle', () => void showNames());
  return [box];
}

/**
 * Creates the row with a record's name in one language. Returns no row if the record has
 * no name in this language.
 */
async function createNameRow(
  { kind, slug }: RecordPath,
  { value, text }: HTMLOptionElement,
): Promise<HTMLElement[]> {
  // The option for English has no value, because it is the default.
  const language = value === '' ? 'en' : value;
  const name = findName(await loadNames(language), kind, slug);
  if (name === undefined) return [];
  const attributes = getLangAttributes(language);
  const head = element('th', { scope: 'row', ...attributes }, text);
  return [element('tr', {}, head, element('td', attributes, name))];
}

const isListPage = (json: unknown): json is ListPage =>
  Array.isArray(toFields(json).results);

/** Creates the view of a list page: a table between two pagers. */
function createListView(address: string, page: ListPage): View {
  const [kind = ''] = splitPath(address);
  const content = [
    createPager(address, page, 'Pages'),
    ...createTable(page.results.map(toFields)),
    createPager(address, page, 'Pages, again'),
    ...createIndexNote(page.results[0]),
  ];
  return { title: titleList(kind, readPageRange(address)), content, isList: true };
}

/** Creates the table with a row for each record on a list page. */
function createTable(records: readonly Fields[]): HTMLElement[] {
  const [firstRecord] = records;
  if (!firstRecord) return [];
  const columns = selectColumns(firstRecord);
  const heads = columns.map((column) => {
    const type = classifyColumn(records, column);
    return element('th', { scope: 'col', class: type }, column);
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

function createRecordCell(record: Fields, column: string): HTMLElement {
  if (column === 'name') return createNameCell(record);
  const cell = createValue('td', record[column]);
  if (column === 'slug') cell.translate = false;
  return cell;
}

function createNameCell(record: Fields): HTMLElement {
  const name = String(record.name);
  const address = parseLink(String(record.url));
  const title = address === undefined ? name : createLink(address, name);
  return element('th', { scope: 'row' }, ...createRecordIcon(record, 24), title);
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
