/** The states of the browsable page: what is shown for each outcome of a request. */

import { errorDetails } from '../../contract/errors.ts';
import { type Kind, kindNames } from '../../contract/kinds.ts';
import { API_PREFIX, listPath } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { plural } from '../../contract/words.ts';
import { loadEngine, resultItem } from '../search/box.ts';
import {
  button,
  type Content,
  element,
  headerLines,
  link,
  type Outcome,
  root,
  statusLine,
} from '../shared/script.ts';
import { endpointOf, partsOf, windowOf, withWindow } from './address.ts';
import { iconOf, isListPage, namesOfRecord, pager, recordCard, recordTable, textIn } from './records.ts';

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
    before: [pager(address, json, 'Pages', hasSizes), ...indexNote(json.results[0])],
    after: [pager(address, json, 'Pages, again', hasSizes)],
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
  if (typeof record !== 'object' || record === null || !('id1' in record)) return [];
  const note =
    "id1 to id9 are in-game indices: the item's numbers within the games of generations 1 to 9, or null.";
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
  const first = (name: Kind, text: string) => link(`${listPath(name)}?format=api`, text);
  const ways = kind
    ? [first(kind, `The first page of ${plural(kind)}`)]
    : kindNames.map((name) => first(name, `All ${plural(name)}`));
  if (kind && offset > 0) {
    const window = withWindow(listPath(kind), { limit: PAGE_SIZE, offset: built });
    ways.unshift(link(window, `The page of ${PAGE_SIZE} records at offset ${built}`));
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
