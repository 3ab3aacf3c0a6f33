/** The states of the browsable page: what is shown for each outcome of a request. */

import { errorDetails } from '../../contract/errors.ts';
import { kindNames } from '../../contract/kinds.ts';
import { API_PREFIX, listPath } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { loadEngine, resultItem } from '../search/box.ts';
import { button, type Content, element, root } from '../shared/elements.ts';
import { link } from '../shared/links.ts';
import { headerLines, type Outcome, statusLine } from '../shared/request.ts';
import { endpointOf, partsOf, windowOf, withWindow } from './address.ts';
import { iconOf, isListPage, namesOfRecord, pager, recordCard, recordTable, textIn } from './records.ts';

export interface StateOptions {
  readonly address: string;
  /** Whether the host serves pages of other sizes than the default. */
  readonly hasSizes: boolean;
  readonly retry: () => void;
}

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

type Answer = Extract<Outcome, { type: 'answer' }>;

export async function stateOf(outcome: Outcome, options: StateOptions): Promise<State> {
  if (outcome.type === 'answer')
    return outcome.response.ok ? answered(outcome, options) : refused(outcome, options.address);
  const again = element('p', {}, button('Try again', options.retry));
  if (outcome.type === 'failure') {
    const reason = element('p', { class: 'quiet' }, `Browser: ${outcome.reason}`);
    return problem('No response', 'The request failed without a response. Are you offline?', again, reason);
  }
  const { response } = outcome;
  const type = response.headers.get('Content-Type') ?? 'nothing';
  return problem(
    response.status === 404 ? 'Not found' : 'Not a response of the API',
    `Got ${statusLine(response)} with ${type}, expected JSON.`,
    suggestions(options.address),
    again,
  );
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

function answered(outcome: Answer, { address, hasSizes }: StateOptions): State {
  const { json } = outcome;
  const state = { title: titleOf(address, json), answer: () => responseBox(outcome) };
  if (!isListPage(json)) {
    const before = [...recordCard(json), ...indexNote(json)];
    return { ...state, before, after: namesOfRecord(address) };
  }
  return {
    ...state,
    before: [pager(address, json, 'Pages', hasSizes), ...indexNote(json.results[0])],
    after: [pager(address, json, 'Pages, again', hasSizes)],
    table: recordTable(json.results),
  };
}

/** What the names of fields do not say. */
function indexNote(record: unknown): HTMLElement[] {
  if (typeof record !== 'object' || record === null || !('id1' in record)) return [];
  const note =
    "id1 to id9 are in-game indices: the item's numbers within the games of generations 1 to 9, or null.";
  return [element('p', { class: 'quiet' }, note)];
}

/** The name of a record, or the kind of a list. */
function titleOf(address: string, json: unknown): string {
  const [kind, slug] = partsOf(address);
  if (kind === undefined) return 'Kinds of records';
  if (slug !== undefined) return textIn(json, 'name') ?? slug;
  const { limit, offset } = windowOf(address);
  const page = offset > 0 && offset % limit === 0 ? `, page ${offset / limit + 1}` : '';
  return `All ${kind}s${page}`;
}

async function refused(outcome: Answer, address: string): Promise<State> {
  const { status } = outcome.response;
  const isWindow = status === 400 || (status === 404 && /[?&](?:limit|offset)=/.test(address));
  const other = status === 404 ? 'Not found' : 'Request rejected';
  const title = isWindow ? 'This page does not exist on this host' : other;
  const near = status === 404 ? await nearMatches(address) : [];
  return {
    ...problem(title, explanation(outcome), ...near, suggestions(address)),
    answer: () => responseBox(outcome),
  };
}

function explanation({ response, json }: Answer): string {
  const detail = textIn(json, 'detail');
  // The API's own detail says no more.
  if (response.status === 404 && (detail === undefined || detail === errorDetails[404]))
    return 'There is nothing at this URL.';
  return detail ?? `The response was ${statusLine(response)}.`;
}

function responseBox({ response, json }: Answer): HTMLElement {
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
    const items = near.map((entry) => resultItem(entry));
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
  const ways: HTMLElement[] = [];
  if (kind === undefined) {
    for (const name of kindNames) ways.push(link(`${listPath(name)}?format=api`, `All ${name}s`));
  } else {
    const window = withWindow(listPath(kind), { limit: PAGE_SIZE, offset: built });
    if (offset > 0) ways.push(link(window, `The page of ${PAGE_SIZE} records at offset ${built}`));
    ways.push(link(`${listPath(kind)}?format=api`, `The first page of ${kind}s`));
  }
  ways.push(link(API_PREFIX, 'All kinds'), element('a', { href: root }, 'Search'));
  return element('ul', { class: 'ways' }, ...ways.map((way) => element('li', {}, way)));
}

const INDENT = '    ';

/** The value as a list of nodes, whose text is exactly `JSON.stringify(value, null, 4)`. */
function jsonNodes(value: unknown, indent = ''): Content[] {
  if (typeof value === 'string') return [stringNode(value)];
  if (typeof value !== 'object' || value === null)
    return [element('span', { class: value === null ? 'null' : 'literal' }, JSON.stringify(value))];
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const members = Object.entries(value);
  if (members.length === 0) return [open + close];
  const deeper = indent + INDENT;
  const lines = members.flatMap(([key, member], at) => [
    at === 0 ? '\n' : ',\n',
    ...(isList ? iconOf(member).map((icon) => element('span', { class: 'margin' }, icon)) : []),
    deeper,
    ...(isList ? [] : [element('span', { class: 'key' }, JSON.stringify(key)), ': ']),
    ...jsonNodes(member, deeper),
  ]);
  return [open, ...lines, `\n${indent}${close}`];
}

function stringNode(value: string): HTMLElement {
  const shown = JSON.stringify(value);
  const address = endpointOf(value);
  return address === undefined ? element('span', { class: 'string' }, shown) : link(address, shown);
}
