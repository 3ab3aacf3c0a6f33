/** What the browsable page shows for each outcome of a request: a record as a card, a list page as a table, either as JSON, or a problem. */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { API_PREFIX, type ListPage, listPath, recordOfPath } from '../../contract/paths.ts';
import { errorDetails } from '../../contract/routes.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { groupDigits, plural } from '../../contract/words.ts';
import { nameIn } from '../../dataset/names.ts';
import { inLanguage, languageField, loadEngine, loadNames, resultItem } from '../search/box.ts';
import { coloredToken, tokensOf } from '../shared/highlight.ts';
import {
  button,
  type Content,
  element,
  folderPage,
  headerLines,
  iconImage,
  link,
  type Outcome,
  root,
  statusLine,
} from '../shared/script.ts';
import { endpointOf, partsOf, pathOf, windowOf, withWindow } from './address.ts';

export interface State {
  readonly title: string;
  /** Above and below the response. */
  readonly before: readonly HTMLElement[];
  readonly after?: readonly HTMLElement[];
  /** The response as it was sent. */
  readonly answer?: () => HTMLElement;
  /** The same as a table, if it is a list of records. */
  readonly table?: HTMLElement | undefined;
}

/** @param hasSizes whether the host serves pages of other sizes than the default */
export async function stateOf(
  { response, json, reason = '' }: Outcome,
  { address, hasSizes, retry }: { address: string; hasSizes: boolean; retry: () => void },
): Promise<State> {
  const again = element('p', {}, button('Try again', retry));
  if (!response) {
    const why = element('p', { class: 'quiet' }, `Browser: ${reason}`);
    return problem('No response', 'The request failed without a response. Are you offline?', again, why);
  }
  if (json === undefined)
    return problem(
      response.status === 404 ? 'Not found' : 'Not a response of the API',
      `Got ${statusLine(response)} with ${response.headers.get('Content-Type') ?? 'nothing'}, expected JSON.`,
      suggestions(address),
      again,
    );
  const answer = () => responseBox(response, json);
  if (!response.ok) return { ...(await refused(response, json, address)), answer };
  const title = titleOf(address, json);
  if (!isListPage(json)) {
    const before = [...recordCard(json), ...indexNote(json)];
    return { title, answer, before, after: namesOfRecord(address) };
  }
  return {
    title,
    answer,
    before: [pager(address, json, 'Pages', hasSizes)],
    after: [pager(address, json, 'Pages, again', hasSizes), ...indexNote(json.results[0])],
    table: recordTable(json.results),
  };
}

/** On plain file servers only built pages exist, so there is nothing to request. */
export const notBuilt = (address: string): State =>
  problem(
    'This page does not exist on this host',
    `This host serves pages of ${PAGE_SIZE} records only, at offsets that are multiples of ${PAGE_SIZE}.`,
    suggestions(address),
  );

const problem = (title: string, why: string, ...ways: readonly HTMLElement[]): State => ({
  title,
  before: [element('p', { class: 'lead' }, why), ...ways],
});

/** What the names of fields do not say. */
function indexNote(record: unknown): HTMLElement[] {
  if (!('id1' in fieldsOf(record))) return [];
  const note =
    "id1 to id9 are in-game indices: the item's numbers in the games of generations 1 to 9; – is null.";
  return [element('p', { id: 'indices', class: 'quiet' }, note)];
}

/** The name of a record, or the kind of a list. */
function titleOf(address: string, json: unknown): string {
  const [kind, slug] = partsOf(address);
  if (kind === undefined) return 'Kinds of records';
  if (slug !== undefined) return textIn(json, 'name') ?? slug;
  const { limit, offset } = windowOf(address);
  const page = offset > 0 && offset % limit === 0 ? `, page ${offset / limit + 1}` : '';
  return `All ${plural(kind)}${page}`;
}

async function refused(response: Response, json: unknown, address: string): Promise<State> {
  const isMissing = response.status === 404;
  const isWindow = response.status === 400 || (isMissing && /[?&](?:limit|offset)=/.test(address));
  const other = isMissing ? 'Not found' : 'Request rejected';
  const title = isWindow ? 'This page does not exist on this host' : other;
  const unsaid = isMissing ? errorDetails[404] : `The response was ${statusLine(response)}.`;
  const detail = textIn(json, 'detail') ?? unsaid;
  // The API's own detail says no more.
  const why = isMissing && detail === errorDetails[404] ? 'There is nothing at this URL.' : detail;
  return problem(title, why, ...(isMissing ? await nearMatches(address) : []), suggestions(address));
}

function responseBox(response: Response, json: unknown): HTMLElement {
  const head = element('pre', { class: 'head' }, element('b', {}, statusLine(response)));
  for (const [name, value] of headerLines(response))
    head.append('\n', element('span', { class: 'key' }, `${name}:`), ` ${value}`);
  const body = element('pre', { class: 'json' }, ...jsonNodes(json));
  body.classList.toggle('pictured', body.querySelector('.margin') !== null);
  return element('section', { class: 'answer', 'aria-label': 'Response' }, head, body);
}

/** The records that may have been meant by a slug that does not exist. */
async function nearMatches(address: string): Promise<HTMLElement[]> {
  const [kind = '', slug] = partsOf(address);
  if (slug === undefined) return [];
  try {
    const near = (await loadEngine()).near(decodeURIComponent(slug), kind);
    if (near.length === 0) return [];
    const items = near.map(resultItem);
    return [element('h2', {}, 'Did you mean'), element('ul', { class: 'results' }, ...items)];
  } catch {
    // The page says what is wrong without it.
    return [];
  }
}

/** Links for someone who ended up at an error. */
function suggestions(address: string): HTMLElement {
  const kind = kindNames.find((name) => name === partsOf(address)[0]);
  const { offset } = windowOf(address);
  const built = offset - (offset % PAGE_SIZE);
  const first = (name: Kind, text: string) => link(`${listPath(name)}?format=api`, text);
  const ways = kind
    ? [first(kind, `The first page of ${plural(kind)}`)]
    : kindNames.map((name) => first(name, `All ${plural(name)}`));
  if (kind && offset > 0) {
    const window = withWindow(listPath(kind), { limit: PAGE_SIZE, offset: built });
    ways.unshift(link(window, `The page of ${PAGE_SIZE} records at offset ${built}`));
  }
  ways.push(link(API_PREFIX, 'All kinds'), element('a', { href: root + folderPage }, 'Search'));
  return element('ul', { class: 'ways' }, ...ways.map((way) => element('li', {}, way)));
}

/** Nodes whose text is exactly `JSON.stringify(json, null, 4)`: icons stand before the records of a list page. */
function jsonNodes(json: unknown): Content[] {
  const records = isListPage(json) ? json.results.values() : [].values();
  const margin = () => iconOf(records.next().value).map((icon) => element('span', { class: 'margin' }, icon));
  return tokensOf(JSON.stringify(json, null, 4)).flatMap((token): Content[] => {
    const [text, name] = token;
    if (name === undefined)
      return text.split(/^(?= {8}\{)/m).flatMap((part, at) => [...(at > 0 ? margin() : []), part]);
    const address = name === 'string' ? endpointOf(JSON.parse(text)) : undefined;
    return [address === undefined ? coloredToken(token) : link(address, text)];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are shown in another way than as text by themselves. */
const SHOWN_APART = ['url', 'name', 'icon'];
/** The columns that identify a record come first. */
const FIRST = ['name', 'slug', 'id'];
const PAGE_SIZES = [10, 20, 50, 100, 200, 500];

/** The fields of an object; other JSON has none. */
const fieldsOf = (json: unknown): Fields => (typeof json === 'object' && json !== null ? { ...json } : {});

/** A field of JSON, if it is text. */
function textIn(json: unknown, field: string): string | undefined {
  const value = fieldsOf(json)[field];
  return typeof value === 'string' ? value : undefined;
}

/** The picture and the fields of a record; empty if the response is no record. */
function recordCard(json: unknown): HTMLElement[] {
  const fields = fieldsOf(json);
  if (fields.slug === undefined) return [];
  const names = ['slug', ...Object.keys(fields).filter((name) => ![...SHOWN_APART, 'slug'].includes(name))];
  const indices = names.filter((name) => /\d$/.test(name));
  const lists = [names.filter((name) => !indices.includes(name)), indices]
    .filter((shown) => shown.length > 0)
    .map((shown) => element('dl', {}, ...shown.map((name) => field(name, fields[name]))));
  const picture = iconOf(json, 90).map((icon) => element('p', { class: 'picture' }, icon));
  return [element('div', { class: 'card' }, ...picture, element('div', {}, ...lists))];
}

const field = (name: string, value: unknown): HTMLElement =>
  element('div', {}, element('dt', {}, name), valueCell('dd', value));

function iconOf(record: unknown, size?: number): HTMLElement[] {
  const icon = textIn(record, 'icon');
  return icon === undefined ? [] : [iconImage(icon, size)];
}

function valueCell(tag: 'td' | 'dd', value: unknown): HTMLElement {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return element(tag, { class: typeOf(value) }, value === null ? '–' : text);
}

/** The class of a cell, and of the head of its column. */
const typeOf = (value: unknown) => (value === null ? 'null' : typeof value === 'number' && 'number');

/**
 * The names of a record in every language, loaded when somebody asks for them. Empty if the site has no names, or the address is
 * that of no record.
 */
function namesOfRecord(address: string): HTMLElement[] {
  const { kind, slug } = recordOfPath(pathOf(address)) ?? {};
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

const isListPage = (json: unknown): json is ListPage => Array.isArray(fieldsOf(json).results);

/** The table; undefined if the results are not records. */
function recordTable(results: readonly unknown[]): HTMLElement | undefined {
  const records = results.map(fieldsOf);
  const [first] = records;
  if (!first || !records.every((record) => FIRST.every((field) => field in record))) return undefined;
  const others = Object.keys(first).filter((name) => !SHOWN_APART.includes(name) && !FIRST.includes(name));
  const columns = [...FIRST, ...others];
  const heads = columns.map((column) => {
    const value = records.map((record) => record[column]).find((one) => one !== null);
    return element('th', { scope: 'col', class: typeOf(value ?? null) }, column);
  });
  const head = element('thead', {}, element('tr', {}, ...heads));
  const body = element(
    'tbody',
    {},
    ...records.map((record) => element('tr', {}, ...columns.map((column) => cellOf(record, column)))),
  );
  // Wider than a phone: it can be scrolled by keyboard, too.
  const attributes = { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Records' };
  return element('div', attributes, element('table', { class: 'records' }, head, body));
}

function cellOf(record: Fields, column: string): HTMLElement {
  if (column !== 'name') return valueCell('td', record[column]);
  const name = String(record.name);
  const address = endpointOf(String(record.url));
  const title = address === undefined ? name : link(address, name);
  return element('th', { scope: 'row' }, ...iconOf(record, 24), title);
}

/**
 * The controls of a list page: first, previous, next, last, and the page size.
 *
 * @param hasSizes whether the host serves pages of other sizes
 */
function pager(address: string, page: ListPage, label: string, hasSizes: boolean): HTMLElement {
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
