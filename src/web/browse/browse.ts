/** The browsable page: shows the response of one endpoint, and navigates to others without leaving the page. */

import { API_PREFIX } from '../../contract/paths.ts';
import { createSearchBox } from '../search/box.ts';
import {
  button,
  copyText,
  element,
  find,
  hrefTo,
  isOnDisk,
  linkStyle,
  linkTo,
  preference,
  root,
  send,
  setNegotiated,
  useFiles,
} from '../shared/script.ts';
import { addressIn, asJson, partsOf, sourceOf } from './address.ts';
import { notBuilt, type State, stateOf } from './states.ts';

/** Faster responses need no loading indicator. */
const PATIENCE_MS = 200;

const view = find('view', HTMLDivElement);
const said = find('said', HTMLParagraphElement);
const main = find('main', HTMLElement);
const searchSection = find('search', HTMLElement);
/** Below the table. */
const itemsNote = find('of-items', HTMLParagraphElement);

const { address: first, isNegotiated } = addressIn(location.href, root);
let running = new AbortController();
let shown = '';

/** @param focus whether to focus the heading, as after following a link */
async function show(address: string, { focus }: { focus: boolean }): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  shown = address;
  const waiting = setTimeout(() => view.setAttribute('aria-busy', 'true'), PATIENCE_MS);
  const state = await stateAt(address, signal);
  clearTimeout(waiting);
  if (!signal.aborted) put(address, state, focus);
}

async function stateAt(address: string, signal: AbortSignal): Promise<State> {
  const source = sourceOf(address, linkStyle);
  if (source === undefined) return notBuilt(address);
  const isList = partsOf(address).length === 1;
  const [outcome, hasSizes] = await Promise.all([send(root + source, signal), isList && servesAnySize()]);
  return stateOf(outcome, { address, hasSizes, retry: () => void show(address, { focus: true }) });
}

let asked: Promise<boolean> | undefined;

/**
 * Whether pages of any size are served, as on hosts that run code. Those describe an endpoint in response to `OPTIONS`, others
 * have nothing to say. A request for such a page would be an error in the browser's console if it is refused.
 */
async function servesAnySize(): Promise<boolean> {
  if (!isNegotiated) return false;
  asked ??= fetch(root + API_PREFIX.slice(1), { method: 'OPTIONS', headers: { Accept: 'application/json' } })
    .then(({ status }) => status === 200)
    .catch(() => false);
  return asked;
}

function put(address: string, { title, before, answer, table, after = [] }: State, focus: boolean): void {
  said.textContent = '';
  const heading = element('h1', { tabindex: -1 }, title);
  document.title = `${title} · gamedata`;
  find('breadcrumb', HTMLOListElement).replaceChildren(...breadcrumb(address));
  const response = element('div');
  const body = element('div', { id: 'body' }, ...before, response, ...after);
  const views = answer && table ? [viewButtons(response, table, answer)] : [];
  if (answer && !table) response.append(answer());
  const [kind] = partsOf(address);
  searchSection.hidden = !table;
  if (!table) main.append(searchSection);
  view.replaceChildren(heading, ...requestBar(address, views), ...(table ? [searchSection] : []), body);
  if (table && kind !== undefined) setSearch({ kind });
  // What has no indices has a generation of its own.
  itemsNote.hidden = !table || document.getElementById('indices') === null;
  for (const link of document.querySelectorAll('.bar nav a'))
    if (link.getAttribute('data-api') === `${API_PREFIX}${kind}/`) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  view.removeAttribute('aria-busy');
  if (!focus) return;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

/** Every segment of the path; the last one is the current page. */
function breadcrumb(address: string): HTMLElement[] {
  const parts = partsOf(address);
  return ['api', ...parts].map((text, at) => {
    const path = [API_PREFIX, ...parts.slice(0, at).map((part) => `${part}/`)].join('');
    const current = at === parts.length && 'page';
    return element('li', {}, element('a', { ...linkTo(path), 'aria-current': current }, text));
  });
}

/** A URL as it may stand in double quotes, which every shell knows: what some of them read there is percent-encoded. */
const shellSafe = (url: string): string =>
  url.replaceAll(/["$`!\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);

/** The request of the page, and what can be done with it; empty if there was none. */
function requestBar(address: string, views: readonly HTMLElement[]): HTMLElement[] {
  const source = sourceOf(address, linkStyle);
  if (source === undefined) return [];
  const url = root + source;
  const { pathname, search } = new URL(url);
  const command = element('code', { class: 'curl', hidden: true }, `curl "${shellSafe(url)}"`);
  const copy = button('Copy as curl', () => {
    command.hidden = false;
    void copyText(command);
  });
  const json = linkStyle === 'file' ? url : root + asJson(address).slice(1);
  const request = element('p', {}, element('code', {}, element('b', {}, 'GET'), ` ${pathname}${search}`));
  const actions = [...views, copy, element('a', { href: json }, 'Open JSON')];
  return [
    element('div', { class: 'request' }, request, element('p', { class: 'actions' }, ...actions), command),
  ];
}

/** Buttons that show a list as a table or as JSON, of which the one pressed last is remembered. */
function viewButtons(response: HTMLElement, table: HTMLElement, answer: () => HTMLElement): HTMLElement {
  const show = (view: string): void => {
    // A list of a hundred records is thousands of elements: only if it is asked for.
    response.replaceChildren(view === 'json' ? answer() : table);
    for (const one of buttons) one.setAttribute('aria-pressed', String(one.value === view));
  };
  const buttons = ['Table', 'JSON'].map((label) => {
    const made = button(label, () => {
      preference('view', made.value);
      show(made.value);
    });
    made.value = label.toLowerCase();
    return made;
  });
  show(preference('view') === 'json' ? 'json' : 'table');
  return element('span', { class: 'views', role: 'group', 'aria-label': 'View' }, ...buttons);
}

/** Links to endpoints open in this page, unless the user wants a new tab or window. */
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.classList.contains('skip')) {
    // The fragment already holds the address.
    event.preventDefault();
    main.focus();
  }
  const address = link?.dataset.api;
  if (address === undefined) return;
  event.preventDefault();
  history.pushState(null, '', hrefTo(address));
  void show(address, { focus: true });
});

window.addEventListener('popstate', () => {
  const { address } = addressIn(location.href, root);
  if (address !== shown) void show(address, { focus: false });
});

const setSearch = createSearchBox((_, isEmpty) => {
  document.getElementById('body')?.toggleAttribute('hidden', !isEmpty);
});

// A list is of one kind.
find('kind-field', HTMLDivElement).hidden = true;
main.append(itemsNote);
itemsNote.hidden = true;

if (isOnDisk) useFiles();
else {
  // The links of the header open in this page, too.
  setNegotiated(isNegotiated);
  void show(first, { focus: false });
}
