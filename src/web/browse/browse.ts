/**
 * The browsable page's script. It shows the response of an endpoint, and loads other
 * endpoints without leaving the page.
 */

import { API_PREFIX, parseRecordPath } from '../../contract/paths.ts';
import { showStoredDate } from '../offline/stored-date.ts';
import type { SearchFields } from '../search/find-rows.ts';
import { createSearchBox } from '../search/search-box.ts';
import {
  copyText,
  createButton,
  element,
  getHref,
  getLinkAttributes,
  isOnDisk,
  linkStyle,
  readPageUrl,
  requireElement,
  setContent,
  setLinkMode,
  showFileFallback,
  siteRoot,
} from '../shared/dom.ts';
import { createRareSave, pushUrl } from '../shared/history.ts';
import { html, renderBreakable } from '../shared/html.ts';
import { watchIcons } from '../shared/icon-loader.ts';
import { getRelativeUrl } from '../shared/page-url.ts';
import {
  fetchPath,
  getCanonicalAddress,
  getPath,
  listBreadcrumbs,
  parseAddress,
  replaceSearch,
  splitPath,
} from './address.ts';
import { createCurlCommand } from './curl.ts';
import { getJsonUrl } from './json-url.ts';
import { loadView } from './load-view.ts';
import type { View } from './view.ts';

const head = requireElement('head', HTMLDivElement);
const search = requireElement('search', HTMLElement);
const view = requireElement('view', HTMLDivElement);
const breadcrumb = requireElement('breadcrumb', HTMLOListElement);
const status = requireElement('status', HTMLParagraphElement);

/** Tells search engines the canonical address of the visible page. */
const canonical = element('link', { rel: 'canonical' });
document.head.append(canonical);

/** The time before the loading indicator appears. Fast responses do not need one. */
const BUSY_DELAY_MS = 200;

let running = new AbortController();
/** The address that is visible or being loaded. */
let current = '';
/**
 * The search in the visible list, as query parameters. Undefined if no list is
 * visible.
 */
let listSearch: string | undefined;

/**
 * Loads an endpoint and shows its response, unless the user opens another endpoint
 * first. The previous content stays visible until the response arrives. Then the
 * scroll position saved in the history entry is restored.
 *
 * @param focus whether to move the focus to the heading, for example after the user
 * follows a link
 */
async function show(address: string, { focus }: { focus: boolean }): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  // A save that is still scheduled belongs to the previous endpoint.
  position.cancel();
  listSearch = undefined;
  current = address;
  // We read the saved position first, because rendering scrolls the page.
  const scroll = readSavedScroll();

  const markBusy = (): void => view.setAttribute('aria-busy', 'true');
  const busy = setTimeout(markBusy, BUSY_DELAY_MS);
  const retry = (): void => void show(address, { focus: true });
  const loaded = await loadView(address, signal, retry);
  clearTimeout(busy);
  if (signal.aborted) return;

  const heading = display(address, loaded);
  await showSearch(address, loaded);
  if (signal.aborted) return;
  scrollTo(0, scroll);
  if (focus) heading.focus({ preventScroll: true });
  await append(loaded.later, signal);
}

/** Replaces the page's content, and returns the new heading. */
function display(
  address: string,
  { title, content, isList = false, hasExchange = false }: View,
): HTMLElement {
  const [kind = ''] = splitPath(address);
  document.title = `${title} · gamedata`;
  canonical.href = getHref(getCanonicalAddress(address));
  status.textContent = '';
  const heading = showHeading(title, hasExchange ? [] : createRequestBar(address));
  breadcrumb.replaceChildren(...createBreadcrumb(address));
  // If the page shows no list, the empty kind hides all links to files.
  showFiles(isList ? kind : '');
  markCurrentList(kind);
  search.hidden = !isList;
  view.replaceChildren(...content);
  watchIcons(view);
  view.removeAttribute('aria-busy');
  delete view.dataset.incomplete;
  return heading;
}

/** Shows everything that is known before the response arrives. */
function showRequest(address: string): void {
  breadcrumb.replaceChildren(...createBreadcrumb(address));
  // A record's request is shown together with its response.
  const isRecord = parseRecordPath(getPath(address)) !== undefined;
  showHeading('Loading…', isRecord ? [] : createRequestBar(address));
}

function showHeading(title: string, request: readonly HTMLElement[]): HTMLElement {
  const heading = element('h1', { tabindex: -1 }, title);
  head.replaceChildren(heading, ...request);
  return heading;
}

/** Shows the links to a kind's bulk files, if the site has them. */
function showFiles(kind: string): void {
  for (const files of document.querySelectorAll<HTMLElement>('[data-files]')) {
    files.hidden = files.dataset.files !== kind;
  }
}

function markCurrentList(kind: string): void {
  const listAddress = `${API_PREFIX}${kind}/`;
  for (const link of document.querySelectorAll<HTMLElement>('.bar nav a')) {
    if (link.dataset.api === listAddress) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

/** Fills in the search from the URL of a list, and shows its results. */
async function showSearch(address: string, { isList = false }: View): Promise<void> {
  if (!isList) return setSearch({});
  const [kind = ''] = splitPath(address);
  const page = parseAddress(readPageUrl(), siteRoot);
  const fields = Object.fromEntries(new URLSearchParams(page.search));
  await setSearch({ ...fields, kind });
}

/**
 * Appends content that requires another request. Until it arrives, the style sheet
 * hides the footer, because the footer would jump.
 */
async function append(later: View['later'], signal: AbortSignal): Promise<void> {
  if (!later) return;
  view.dataset.incomplete = '';
  const content = await later;
  if (signal.aborted) return;
  view.append(...content);
  delete view.dataset.incomplete;
}

function createBreadcrumb(address: string): HTMLElement[] {
  const crumbs = listBreadcrumbs(address);
  return crumbs.map(({ path, text }, index) => {
    const isCurrent = index === crumbs.length - 1;
    const attributes = {
      ...getLinkAttributes(path),
      'aria-current': isCurrent && 'page',
    };
    return element('li', {}, element('a', attributes, text));
  });
}

/**
 * Creates the line with the request, and buttons to repeat it. Returns an empty array if
 * the host is a plain file server that has no file for this page.
 */
function createRequestBar(address: string): HTMLElement[] {
  const path = fetchPath(address, linkStyle);
  if (path === undefined) return [];
  const url = siteRoot + path;
  const { pathname, search: query } = new URL(url);
  const line = element('code');
  setContent(line, html`<b>GET</b> ${renderBreakable(pathname + query)}`);

  const command = element('code', { class: 'curl', hidden: true });
  setContent(command, renderBreakable(createCurlCommand(url)));
  const copy = createButton('Copy as curl', () => {
    command.hidden = false;
    void copyText(command);
  });
  const open = element(
    'a',
    { href: getJsonUrl(address), class: 'button' },
    'Open JSON',
  );
  const actions = element('p', { class: 'actions' }, copy, open);
  return [
    element('div', { class: 'request' }, element('p', {}, line), actions, command),
  ];
}

// We restore the scroll position ourselves, because browsers restore it before the
// response arrives.
history.scrollRestoration = 'manual';

const readSavedScroll = (): number => history.state?.scroll ?? 0;

/**
 * Saves the scroll position and the search in the history entry, so that the back
 * button and reloads restore them.
 */
const position = createRareSave(() => {
  const href = readPageUrl();
  const url = listSearch === undefined ? href : replaceSearch(href, listSearch);
  history.replaceState({ scroll: scrollY }, '', getRelativeUrl(url));
});
addEventListener('pagehide', position.now);
addEventListener('scroll', position.schedule);

/**
 * Returns whether a click follows the link in this window. Clicks with modifier keys
 * open windows and tabs, or save files.
 */
function isPlainClick(event: MouseEvent): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  return !event.altKey && !event.metaKey && !event.ctrlKey && !event.shiftKey;
}

document.addEventListener('click', (event) => {
  if (!isPlainClick(event)) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link) return;
  if (link.classList.contains('skip')) {
    // The skip link must not replace the fragment, because the fragment may contain
    // the address.
    event.preventDefault();
    requireElement('main', HTMLElement).focus();
    return;
  }
  const address = link.dataset.api;
  if (address === undefined) return;
  position.now();
  const isPushed = pushUrl(history, getHref(address));
  // If the entry could not be added, we let the browser follow the link.
  if (!isPushed) return;
  event.preventDefault();
  void show(address, { focus: true });
});

window.addEventListener('popstate', () => {
  const { address } = parseAddress(readPageUrl(), siteRoot);
  if (address !== current) void show(address, { focus: false });
});

/**
 * Hides the list while search results are visible, and saves the search in the URL.
 */
function followSearch(
  { q, language, generation }: SearchFields,
  isEmpty: boolean,
): void {
  view.hidden = !isEmpty;
  // The API cannot search, so the list's request does not belong to the search results.
  const request = head.querySelector<HTMLElement>('.request');
  if (request) request.hidden = !isEmpty;
  // Only lists have a search form, so there is nothing to save on other pages.
  if (search.hidden) return;
  const fields = new URLSearchParams({ q });
  if (language !== '') fields.set('language', language);
  if (generation !== '') fields.set('generation', generation);
  listSearch = isEmpty ? '' : String(fields);
  position.schedule();
}

const setSearch = createSearchBox({ onSearch: followSearch });
// All records in a list are of the same kind, so we hide the field for the kind.
requireElement('kind-field', HTMLDivElement).hidden = true;

void showStoredDate();
if (isOnDisk) showFileFallback();
else {
  const { address, isNegotiated } = parseAddress(readPageUrl(), siteRoot);
  setLinkMode(isNegotiated);
  view.replaceChildren();
  showRequest(address);
  void show(address, { focus: false });
}
