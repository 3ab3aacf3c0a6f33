/** The browsable page: shows the response of one endpoint, and navigates to others without leaving the page. */

import { API_PREFIX } from '../../contract/paths.ts';
import { createSearchBox, loadEngine } from '../search/box.ts';
import type { SearchEntry } from '../search/search-index.ts';
import { element, find } from '../shared/elements.ts';
import { pointLinks } from '../shared/links.ts';
import { type Outcome, send } from '../shared/request.ts';
import { addressIn, hrefTo, partsOf, sourceOf } from './address.ts';
import { linkTo, linkToPath, place, servesAnySize } from './place.ts';
import { requestBar } from './request-bar.ts';
import { notBuilt, type State, stateOf } from './states.ts';

/** Faster responses need no loading indicator. */
const PATIENCE_MS = 200;

const view = find('view', HTMLDivElement);
const said = find('said', HTMLParagraphElement);
const main = find('main', HTMLElement);
const searchSection = find('search', HTMLElement);

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
  const source = sourceOf(address, place);
  if (source === undefined) return notBuilt(address);
  const isList = partsOf(address).length === 1;
  const [outcome, hasSizes] = await Promise.all([send(source, signal), isList && servesAnySize()]);
  const retry = (): void => void show(address, { focus: true });
  return stateOf(outcome, { address, hasSizes, near: await nearTo(address, outcome), retry });
}

/** The records that may have been meant by the address of none. */
async function nearTo(address: string, outcome: Outcome): Promise<readonly SearchEntry[]> {
  const [kind = '', slug] = partsOf(address);
  const isUnknown = outcome.type === 'answer' && outcome.response.status === 404;
  if (!isUnknown || slug === undefined) return [];
  try {
    return (await loadEngine()).near(decodeURIComponent(slug), kind);
  } catch {
    // The page says what is wrong without it.
    return [];
  }
}

function put(address: string, state: State, focus: boolean): void {
  const { title, before, table, after = [] } = state;
  said.textContent = '';
  const heading = element('h1', { tabindex: -1 }, title);
  document.title = `${title} · gamedata`;
  find('breadcrumb', HTMLOListElement).replaceChildren(...breadcrumb(address));
  const response = element('div', {});
  const body = element('div', { id: 'body' }, ...before, response, ...after);
  const source = sourceOf(address, place);
  const bar = source === undefined ? [] : [requestBar({ ...state, address, source, response, said })];
  const [kind] = partsOf(address);
  const isSearchable = table !== undefined && kind !== undefined;
  searchSection.hidden = !isSearchable;
  if (!isSearchable) main.append(searchSection);
  view.replaceChildren(heading, ...bar, ...(isSearchable ? [searchSection] : []), body);
  if (isSearchable) setSearch({ kind });
  find('of-items', HTMLParagraphElement).hidden = kind === 'move';
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
  history.pushState(null, '', hrefTo(address, place));
  void show(address, { focus: true });
});

window.addEventListener('popstate', () => {
  const address = addressIn(location, place);
  if (address !== shown) void show(address, { focus: false });
});

const setSearch = createSearchBox(linkToPath, (_, isEmpty) => {
  document.getElementById('body')?.toggleAttribute('hidden', !isEmpty);
});

// A list is of one kind.
find('kind-field', HTMLDivElement).hidden = true;
// The links of the header open in this page, too.
pointLinks((path) => hrefTo(path, place));

void show(addressIn(location, place), { focus: false });
