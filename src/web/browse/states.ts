/** The states of the browsable page: what is shown for each outcome of a request. */

import { errorDetails } from '../../contract/errors.ts';
import { API_PREFIX } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { button, element } from '../shared/elements.ts';
import { iconImage } from '../shared/icon.ts';
import { partsOf, windowOf, withWindow } from './address.ts';
import { iconOf, jsonNodes } from './json-view.ts';
import { isListPage, pager } from './pager.ts';
import { detailOf, headerLines, type Outcome, statusLine } from './request.ts';

export interface StateOptions {
  readonly address: string;
  readonly root: string;
  readonly hrefTo: (address: string) => string;
  readonly retry: () => void;
}

export interface State {
  readonly title: string;
  readonly content: readonly HTMLElement[];
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
  const { address, root, hrefTo } = options;
  const icon = iconOf(json);
  const controls = (label: string): HTMLElement[] =>
    isListPage(json) ? [pager({ address, page: json, label, hrefTo })] : [];
  return {
    title: titleOf(address, json),
    content: [
      ...(icon === undefined ? [] : [element('p', { class: 'icon' }, iconImage(icon, root))]),
      ...controls('Pages'),
      responseBox(response, json, text, options),
      ...controls('Pages, again'),
    ],
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
    content: [
      lead(explanation(response, json)),
      suggestions(options),
      responseBox(response, json, text, options),
    ],
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
    content: [
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
    content: [
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
    content: [
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

/** Links for someone who ended up at an error. */
function suggestions({ address, root, hrefTo }: StateOptions): HTMLElement {
  const [kind] = partsOf(address);
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
  ways.push(to(API_PREFIX, 'All kinds'));
  ways.push(element('li', {}, element('a', { href: root }, 'Search')));
  return element('ul', { class: 'ways' }, ...ways);
}

const lead = (text: string): HTMLElement => element('p', { class: 'lead' }, text);
const hasWindow = (address: string): boolean => /[?&](?:limit|offset)=/.test(address);
