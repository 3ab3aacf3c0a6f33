/** The browsable page: shows the response of one endpoint, and navigates to others without leaving the page. */

import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';
import { createSearchBox } from '../search/box.ts';
import { loadEngine } from '../search/load.ts';
import type { SearchEntry } from '../search/search-index.ts';
import { element, find } from '../shared/elements.ts';
import { type Outcome, send } from '../shared/request.ts';
import { addressIn, hrefTo, partsOf, placeOf, sourceOf } from './address.ts';
import { servesAnySize } from './host.ts';
import { requestBar } from './request-bar.ts';
import { notBuilt, type State, stateOf } from './states.ts';

/** Faster responses need no loading indicator. */
const PATIENCE_MS = 200;

const view = find('view', HTMLDivElement);
const said = find('said', HTMLParagraphElement);
const main = find('main', HTMLElement);
const searchSection = find('search', HTMLElement);
const links: LinkStyle = document.documentElement.dataset.links === 'file' ? 'file' : 'query';
const place = placeOf(location, new URL('.', import.meta.url).href, links);
const to = (address: string): string => hrefTo(address, place);

let running = new AbortController();
let shown = '';

/** @param focus whether to focus the heading, as after following a link */
async function show(address: string, { focus }: { focus: boolean }): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  shown = address;
  const source = sourceOf(address, place);
  const waiting = setTimeout(() => view.setAttribute('aria-busy', 'true'), PATIENCE_MS);
  const state = await stateAt(address, source, signal, () => void show(address, { focus: true }));
  clearTimeout(waiting);
  if (!signal.aborted) put(address, source, state, focus);
}

async function stateAt(
  address: string,
  source: string | undefined,
  signal: AbortSignal,
  retry: () => void,
): Promise<State> {
  const options = { address, root: place.root, hrefTo: to, retry };
  if (source === undefined) return notBuilt({ ...options, hasSizes: false, near: [] });
  const isList = partsOf(address).length === 1;
  const [outcome, hasSizes] = await Promise.all([send(source, signal), isList && servesAnySize(place)]);
  return stateOf(outcome, { ...options, hasSizes, near: await nearTo(address, outcome) });
}

/** The records that may have been meant by the address of none. */
async function nearTo(address: string, outcome: Outcome): Promise<readonly SearchEntry[]> {
  const [kind = '', slug] = partsOf(address);
  const isUnknown = outcome.type === 'answer' && outcome.response.status === 404;
  if (!isUnknown || slug === undefined) return [];
  try {
    return (await loadEngine(place.root)).near(decodeURIComponent(slug), kind);
  } catch {
    // The page says what is wrong without it.
    return [];
  }
}

function put(address: string, source: string | undefined, state: State, focus: boolean): void {
  const { title, before, table, after = [] } = state;
  said.textContent = '';
  const heading = element('h1', { tabindex: -1 }, title);
  document.title = `${title} · gamedata`;
  find('breadcrumb', HTMLOListElement).replaceChildren(...breadcrumb(address));
  const response = element('div', {});
  const body = element('div', { id: 'body' }, ...before, response, ...after);
  const bar = source === undefined ? [] : [requestBar({ ...state, address, source, place, response, said })];
  const [kind] = partsOf(address);
  const isSearchable = table !== undefined && kind !== undefined;
  searchSection.hidden = !isSearchable;
  if (!isSearchable) main.append(searchSection);
  view.replaceChildren(heading, ...bar, ...(isSearchable ? [searchSection] : []), body);
  if (isSearchable) box.set({ kind });
  view.removeAttribute('aria-busy');
  if (!focus) return;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

/** Every segment of the path; the last one is the current page. */
function breadcrumb(address: string): HTMLElement[] {
  const parts = partsOf(address);
  const steps = [{ text: 'api', path: API_PREFIX }].concat(
    parts.map((text, at) => ({ text, path: `${API_PREFIX}${parts.slice(0, at + 1).join('/')}/` })),
  );
  return steps.map(({ text, path }, at) => {
    const isHere = at === steps.length - 1;
    const attributes = { href: to(path), 'data-address': path, 'aria-current': isHere ? 'page' : undefined };
    return element('li', {}, element('a', attributes, text));
  });
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
  const address = link?.dataset.address;
  if (address === undefined) return;
  event.preventDefault();
  history.pushState(null, '', to(address));
  void show(address, { focus: true });
});

window.addEventListener('popstate', () => {
  const address = addressIn(location, place);
  if (address !== shown) void show(address, { focus: false });
});

const box = createSearchBox({
  root: place.root,
  linkTo: (path) => {
    const address = `${path}?format=api`;
    return { href: to(address), 'data-address': address };
  },
  onSearch: (_, isEmpty) => {
    document.getElementById('body')?.toggleAttribute('hidden', !isEmpty);
  },
});

// A list is of one kind.
find('kind-field', HTMLDivElement).hidden = true;
// The links of the header open in this page, too.
for (const link of document.querySelectorAll('a')) {
  const path = link.dataset.api;
  if (path === undefined) continue;
  link.href = to(path);
  link.dataset.address = path;
}

void show(addressIn(location, place), { focus: false });
