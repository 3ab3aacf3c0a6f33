import { kindNames } from '../../contract/kinds.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import { API_PREFIX, type ListPage, listPath, parseRecordPath } from '../../contract/paths.ts';
import { errorDetails } from '../../contract/responses.ts';
import { groupDigits, pluralize } from '../../contract/words.ts';
import { findName } from '../../dataset/find-name.ts';
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
import { fetchPath, parseLink, readPageRange, replacePageRange, splitPath } from './address.ts';

export interface View {
  readonly title: string;
  readonly content: readonly HTMLElement[];
  readonly isList?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Requests an endpoint and renders its response. */
export async function loadView(
  address: string,
  signal: AbortSignal,
  retry: () => void,
): Promise<View> {
  const path = fetchPath(address, linkStyle);
  // Plain file servers have only the built pages.
  if (path === undefined) {
    const why = `This host serves only pages of ${PAGE_SIZE} records, at offsets that are multiples of ${PAGE_SIZE}.`;
    return createProblem(NOT_BUILT, why, suggestPages(address));
  }
  const tryAgain = element('p', {}, createButton('Try again', retry));
  let response: Response;
  let text: string;
  try {
    response = await fetch(siteRoot + path, { headers: { Accept: 'application/json' }, signal });
    text = await response.text();
  } catch (error) {
    const lead = 'The request failed without a response. Are you offline?';
    const why = element('p', { class: 'quiet' }, `Browser: ${getMessage(error)}`);
    return createProblem('No response', lead, tryAgain, why);
  }
  const json: unknown = await new Response(text).json().catch(() => undefined);
  if (json === undefined) {
    const title = response.status === 404 ? 'Not found' : 'Not an API response';
    const type = response.headers.get('Content-Type') ?? 'nothing';
    const why = `Got ${formatStatus(response)} with ${type}, expected JSON.`;
    return createProblem(title, why, suggestPages(address), tryAgain);
  }
  if (!response.ok) return createErrorView(response, json, address);
  if (isListPage(json)) return createListView(address, json);
  const [kind, slug] = splitPath(address);
  const title = kind === undefined ? 'Kinds of records' : (readText(json, 'name') ?? slug ?? kind);
  const content = [...createCard(json), createResponseBox(response, json), ...createNames(address)];
  return { title, content };
}

const NOT_BUILT = 'This page does not exist on this host';

const createProblem = (title: string, why: string, ...content: readonly HTMLElement[]): View => ({
  title,
  content: [element('p', { class: 'lead' }, why), ...content],
});

async function createErrorView(response: Response, json: unknown, address: string): Promise<View> {
  const isMissing = response.status === 404;
  const isPageRange =
    response.status === 400 || (isMissing && /[?&](?:limit|offset)=/.test(address));
  const title = isPageRange ? NOT_BUILT : isMissing ? 'Not found' : 'Request rejected';
  const detail = readText(json, 'detail') ?? `The response was ${formatStatus(response)}.`;
  const why = detail === errorDetails[404] ? 'There is nothing at this URL.' : detail;
  const similar = isMissing ? await suggestRecords(address) : [];
  return createProblem(
    title,
    why,
    ...similar,
    suggestPages(address),
    createResponseBox(response, json),
  );
}

async function suggestRecords(address: string): Promise<HTMLElement[]> {
  const [kind = '', slug] = splitPath(address);
  if (slug === undefined) return [];
  const suggesting = loadSearchEngine().then((engine) =>
    engine.suggest(decodeURIComponent(slug), kind),
  );
  // The page is complete without suggestions.
  const found = await suggesting.catch(() => []);
  if (found.length === 0) return [];
  const items = found.map((record) => createResult(record));
  return [
    element('h2', {}, 'Did you mean'),
    element('ul', { class: 'results', role: 'list' }, ...items),
  ];
}

function suggestPages(address: string): HTMLElement {
  const kind = kindNames.find((name) => name === splitPath(address)[0]);
  const { offset } = readPageRange(address);
  const built = offset - (offset % PAGE_SIZE);
  const ways = kind
    ? [createLink(`${listPath(kind)}?format=api`, `The first page of ${pluralize(kind)}`)]
    : kindNames.map((name) => createLink(`${listPath(name)}?format=api`, `All ${pluralize(name)}`));
  if (kind && offset > 0) {
    const range = replacePageRange(listPath(kind), { limit: PAGE_SIZE, offset: built });
    ways.unshift(createLink(range, `The page of ${PAGE_SIZE} records at offset ${built}`));
  }
  ways.push(
    createLink(API_PREFIX, 'All kinds'),
    element('a', { href: siteRoot + folderPage }, 'Search'),
  );
  return element(
    'ul',
    { class: 'ways', role: 'list' },
    ...ways.map((way) => element('li', {}, way)),
  );
}

/** HTTP/2 and later have no reason phrases. */
const formatStatus = ({ status, statusText }: Response): string =>
  `HTTP ${status} ${statusText}`.trimEnd();

const SHOWN_HEADERS = ['Allow', 'Content-Type', 'Vary', 'Cache-Control', 'ETag', 'Last-Modified'];

function createResponseBox(response: Response, json: unknown): HTMLElement {
  const head = element('pre', { class: 'head' }, element('b', {}, formatStatus(response)));
  for (const name of SHOWN_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null)
      head.append('\n', element('span', { class: 'key' }, `${name}:`), ` ${value}`);
  }
  const body = highlight(JSON.stringify(json, null, 4), (text) => {
    const address = parseLink(JSON.parse(text));
    return address === undefined ? undefined : createLink(address, text);
  });
  const attributes = { class: 'response', 'aria-label': 'Response' };
  return element('section', attributes, head, element('pre', { class: 'json' }, ...body));
}

/** The page shows these fields as a title, link or image. */
const HIDDEN = ['url', 'name', 'icon'];
const FIRST_COLUMNS = ['name', 'slug', 'id'];

const toFields = (json: unknown): Fields =>
  typeof json === 'object' && json !== null ? { ...json } : {};

function readText(json: unknown, field: string): string | undefined {
  const value = toFields(json)[field];
  return typeof value === 'string' ? value : undefined;
}

function createCard(json: unknown): HTMLElement[] {
  const fields = toFields(json);
  if (fields.slug === undefined) return [];
  const names = [
    'slug',
    ...Object.keys(fields).filter((name) => ![...HIDDEN, 'slug'].includes(name)),
  ];
  const indices = names.filter((name) => /\d$/.test(name));
  const lists = [names.filter((name) => !indices.includes(name)), indices].map((shown) =>
    element(
      'dl',
      { translate: 'no', hidden: shown.length === 0 },
      ...shown.map((name) =>
        element('div', {}, element('dt', {}, name), createValue('dd', fields[name])),
      ),
    ),
  );
  const picture = createRecordIcon(json, 90).map((icon) =>
    element('p', { class: 'picture' }, icon),
  );
  const card = element('div', { class: 'card' }, ...picture, element('div', {}, ...lists));
  return [card, ...createIndexNote(json)];
}

function createIndexNote(record: unknown): HTMLElement[] {
  if (!('id1' in toFields(record))) return [];
  const note =
    "id1 to id9 are in-game indices: the item's numbers in the games of generations 1 to 9; – is null.";
  return [element('p', { class: 'quiet' }, note)];
}

function createRecordIcon(record: unknown, size: number): HTMLElement[] {
  const icon = readText(record, 'icon');
  return icon === undefined ? [] : [createIcon(icon, size)];
}

function createValue(tag: 'td' | 'dd', value: unknown): HTMLElement {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return element(tag, { class: classifyValue(value) }, value === null ? '–' : text);
}

const classifyValue = (value: unknown) =>
  value === null ? 'null' : typeof value === 'number' && 'number';

function createNames(address: string): HTMLElement[] {
  const record = parseRecordPath(address.split('?')[0] ?? '');
  const languages = Array.from(findLanguageField()?.options ?? [], ({ value, text }) => ({
    value,
    text,
  }));
  if (languages.length === 0 || !record) return [];
  const list = element('div', { role: 'status' });
  const box = element('details', {}, element('summary', {}, 'Names in every language'), list);
  const createRow = async ({ value, text }: (typeof languages)[number]): Promise<HTMLElement[]> => {
    const language = value || 'en';
    const name = findName(await loadNames(language), record.kind, record.slug);
    const head = element('th', { scope: 'row', ...getLangAttributes(language) }, text);
    return name === undefined
      ? []
      : [element('tr', {}, head, element('td', getLangAttributes(language), name))];
  };
  box.addEventListener('toggle', async () => {
    if (!box.open || list.querySelector('table')) return;
    const rows = await Promise.all(languages.map(createRow)).catch(() => undefined);
    const failed = 'The names could not be loaded. Close and open this to try again.';
    list.replaceChildren(
      rows ? element('table', {}, element('tbody', {}, ...rows.flat())) : failed,
    );
  });
  return [box];
}

const isListPage = (json: unknown): json is ListPage => Array.isArray(toFields(json).results);

function createListView(address: string, page: ListPage): View {
  const [kind = ''] = splitPath(address);
  const { limit, offset } = readPageRange(address);
  const suffix = offset > 0 && offset % limit === 0 ? `, page ${offset / limit + 1}` : '';
  const content = [
    createPager(address, page, 'Pages'),
    ...createTable(page.results.map(toFields)),
    createPager(address, page, 'Pages, again'),
    ...createIndexNote(page.results[0]),
  ];
  return { title: `All ${pluralize(kind)}${suffix}`, content, isList: true };
}

function createTable(records: readonly Fields[]): HTMLElement[] {
  const [first] = records;
  if (!first) return [];
  const others = Object.keys(first).filter((name) => ![...HIDDEN, ...FIRST_COLUMNS].includes(name));
  const columns = [...FIRST_COLUMNS, ...others];
  const heads = columns.map((column) => {
    const value = records.map((record) => record[column]).find((one) => one !== null) ?? null;
    return element('th', { scope: 'col', class: classifyValue(value) }, column);
  });
  const rows = records.map((record) =>
    element('tr', {}, ...columns.map((column) => createRecordCell(record, column))),
  );
  const table = element(
    'table',
    { class: 'records' },
    element('thead', { translate: 'no' }, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows),
  );
  // The table is wider than a phone, so tabindex allows scrolling by keyboard.
  return [
    element('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Records' }, table),
  ];
}

function createRecordCell(record: Fields, column: string): HTMLElement {
  if (column !== 'name') {
    const cell = createValue('td', record[column]);
    if (column === 'slug') cell.translate = false;
    return cell;
  }
  const name = String(record.name);
  const address = parseLink(String(record.url));
  const title = address === undefined ? name : createLink(address, name);
  return element('th', { scope: 'row' }, ...createRecordIcon(record, 24), title);
}

function createPager(
  address: string,
  { count, next, previous, results }: ListPage,
  label: string,
): HTMLElement {
  const { limit, offset } = readPageRange(address);
  const last = count === 0 ? 0 : count - 1 - ((count - 1) % limit);
  const createStep = (text: string, to: string | undefined): HTMLElement =>
    to === undefined
      ? element('a', { role: 'link', 'aria-disabled': 'true' }, text)
      : createLink(to, text);
  const linkPage = (start: number): string | undefined =>
    offset === start ? undefined : replacePageRange(address, { limit, offset: start });
  const steps = element(
    'div',
    { class: 'steps' },
    createStep('First', linkPage(0)),
    createStep('Previous', parseLink(previous ?? '')),
    createStep('Next', parseLink(next ?? '')),
    createStep('Last', linkPage(last)),
  );
  const range = element('p', {}, describeRange(offset, results.length, count));
  return element('nav', { class: 'pager', 'aria-label': label }, range, steps);
}

function describeRange(offset: number, shown: number, count: number): string {
  const [first, last, all] = [offset + 1, offset + shown, count].map(groupDigits);
  if (shown > 0) return `Records ${first} to ${last} of ${all}`;
  return count === 0 ? 'No records' : `No records at offset ${offset}: there are ${all}`;
}
