/** The states of the browsable page: what is shown for each outcome of a request. */

import { errorDetails } from '../../contract/errors.ts';
import { kindNames } from '../../contract/kinds.ts';
import { API_PREFIX, recordPath } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { resultItem } from '../search/result.ts';
import type { SearchEntry } from '../search/search-index.ts';
import { button, element } from '../shared/elements.ts';
import { detailOf, headerLines, type Outcome, statusLine } from '../shared/request.ts';
import { partsOf, windowOf, withWindow } from './address.ts';
import { recordCard } from './card.ts';
import { iconOf, jsonNodes } from './json-view.ts';
import { isListPage, pager } from './pager.ts';
import { recordTable } from './table.ts';

export interface StateOptions {
  readonly address: string;
  readonly root: string;
  readonly hrefTo: (address: string) => string;
  /** Whether the host serves pages of other sizes than the default. */
  readonly hasSizes: boolean;
  /** The records that may have been meant, if there is none at the address. */
  readonly near: readonly SearchEntry[];
  readonly retry: () => void;
}

export interface State {
  readonly title: string;
  /** Above and below the response. */
  readonly before: readonly HTMLElement[];
  readonly after?: readonly HTMLElement[];
  /** The response as it was sent, made when it is shown. */
  readonly answer?: () => HTMLElement;
  /** The same as a table, if it is a list of records. */
  readonly table?: HTMLElement | undefined;
}

type Answer = Extract<Outcome, { type: 'answer' }>;

export function stateOf(outcome: Outcome, options: StateOptions): State {
  switch (outcome.type) {
    case 'failure':
      return failed(outcome.reason, options);
    case 'foreign':
      return foreign(outcome.response, options);
    default:
      return outcome.response.ok ? answered(outcome, options) : refused(outcome, options);
  }
}

function answered({ response, json, text }: Answer, options: StateOptions): State {
  const { address, hasSizes, hrefTo } = options;
  const state = { title: titleOf(address, json), answer: () => responseBox(response, json, text, options) };
  if (!isListPage(json)) return { ...state, before: recordCard(json, options) };
  const controls = (label: string): HTMLElement[] => [
    pager({ address, page: json, label, hasSizes, hrefTo }),
  ];
  return {
    ...state,
    before: controls('Pages'),
    after: controls('Pages, again'),
    table: recordTable(json.results, options),
  };
}

/** The name of a record, or the kind of a list. */
function titleOf(address: string, json: unknown): string {
  const [kind, slug] = partsOf(address);
  if (kind === undefined) return 'Kinds of records';
  if (slug === undefined) return `All ${kind}s`;
  const named = typeof json === 'object' && json !== null && 'name' in json ? json.name : undefined;
  return typeof named === 'string' ? named : slug;
}

function refused({ response, json, text }: Answer, options: StateOptions): State {
  const isWindow = response.status === 400 || (response.status === 404 && hasWindow(options.address));
  return {
    title: isWindow
      ? 'This page does not exist on this host'
      : response.status === 404
        ? 'Not found'
        : 'Request rejected',
    before: [lead(explanation(response, json)), ...nearMatches(options), suggestions(options)],
    answer: () => responseBox(response, json, text, options),
  };
}

function explanation(response: Response, json: unknown): string {
  const detail = detailOf(json);
  // The API's own detail says no more.
  if (response.status === 404 && (detail === undefined || detail === errorDetails[404]))
    return 'There is nothing at this URL.';
  return detail ?? `The response was ${statusLine(response)}.`;
}

/** On plain file servers only built pages exist, so there is nothing to request. */
export function notBuilt(options: StateOptions): State {
  return {
    title: 'This page does not exist on this host',
    before: [
      lead(
        `This host serves pages of ${PAGE_SIZE} records only, at offsets that are multiples of ${PAGE_SIZE}.`,
      ),
      suggestions(options),
    ],
  };
}

function failed(reason: string, options: StateOptions): State {
  return {
    title: 'No response',
    before: [
      lead('The request failed without a response. Are you offline?'),
      element('p', {}, button('Try again', options.retry)),
      element('p', { class: 'quiet' }, `Browser: ${reason}`),
    ],
  };
}

function foreign(response: Response, options: StateOptions): State {
  const type = response.headers.get('Content-Type') ?? 'nothing';
  return {
    title: response.status === 404 ? 'Not found' : 'Not a response of the API',
    before: [
      lead(`Got ${statusLine(response)} with ${type}, expected JSON.`),
      suggestions(options),
      element('p', {}, button('Try again', options.retry)),
    ],
  };
}

function responseBox(response: Response, json: unknown, text: string, options: StateOptions): HTMLElement {
  const head = element('pre', { class: 'head' }, element('b', {}, statusLine(response)));
  for (const [name, value] of headerLines(response)) {
    head.append('\n', element('span', { class: 'key' }, `${name}:`), ` ${value}`);
  }
  const isPictured = isListPage(json) && json.results.some((record) => iconOf(record) !== undefined);
  const body = element(
    'pre',
    { class: isPictured ? 'json pictured' : 'json', 'data-raw': text },
    ...jsonNodes(json, options),
  );
  return element('section', { class: 'answer', 'aria-label': 'Response' }, head, body);
}

/** The records whose slugs are close to the one that does not exist. */
function nearMatches({ near, root, hrefTo }: StateOptions): HTMLElement[] {
  if (near.length === 0) return [];
  const items = near.map((entry) => {
    const address = `${recordPath(entry.kind, entry.slug)}?format=api`;
    return resultItem(entry, { href: hrefTo(address), 'data-address': address }, root);
  });
  return [element('h2', {}, 'Did you mean'), element('ul', { class: 'results' }, ...items)];
}

/** Links for someone who ended up at an error. */
function suggestions({ address, root, hrefTo }: StateOptions): HTMLElement {
  const kind = kindNames.find((name) => name === partsOf(address)[0]);
  const to = (target: string, text: string): HTMLElement =>
    element('li', {}, element('a', { href: hrefTo(target), 'data-address': target }, text));
  const ways: HTMLElement[] = [];
  if (kind !== undefined) {
    const path = `${API_PREFIX}${kind}/`;
    const { offset } = windowOf(address);
    const built = offset - (offset % PAGE_SIZE);
    const target = withWindow(path, { limit: PAGE_SIZE, offset: built });
    if (hasWindow(address) && offset > 0)
      ways.push(to(target, `The page of ${PAGE_SIZE} records at offset ${built}`));
    ways.push(to(`${path}?format=api`, `The first page of ${kind}s`));
  }
  if (kind === undefined)
    for (const name of kindNames) ways.push(to(`${API_PREFIX}${name}/?format=api`, `All ${name}s`));
  ways.push(to(API_PREFIX, 'All kinds'));
  ways.push(element('li', {}, element('a', { href: root }, 'Search')));
  return element('ul', { class: 'ways' }, ...ways);
}

const lead = (text: string): HTMLElement => element('p', { class: 'lead' }, text);
const hasWindow = (address: string): boolean => /[?&](?:limit|offset)=/.test(address);
