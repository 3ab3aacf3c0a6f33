/** The browsable page: shows an endpoint's response, and navigates to other endpoints without leaving the page. */

import { API_PREFIX } from '../../contract/paths.ts';
import { createSearchBox, type SearchFields } from '../search/search-box.ts';
import {
  breakUrls,
  copyText,
  createButton,
  element,
  getHref,
  getLinkAttributes,
  isOnDisk,
  linkStyle,
  requireElement,
  setLinkMode,
  showFileFallback,
  siteRoot,
} from '../shared/dom.ts';
import { fetchPath, parseAddress, replaceFormat, replaceSearch, splitPath } from './address.ts';
import { loadView, type View } from './views.ts';

const head = requireElement('head', HTMLDivElement);
const search = requireElement('search', HTMLElement);
const view = requireElement('view', HTMLDivElement);

let running = new AbortController();
/** The address that is shown or loading. */
let current = '';

/** @param focus whether to focus the heading, as after following a link */
async function show(address: string, { focus }: { focus: boolean }): Promise<void> {
  running.abort();
  running = new AbortController();
  clearTimeout(saving);
  // Read before rendering, which scrolls.
  const scroll: number = history.state?.scroll ?? 0;
  const { signal } = running;
  current = address;
  // Fast responses need no loading indicator.
  const loading = setTimeout(() => view.setAttribute('aria-busy', 'true'), 200);
  const loaded = await loadView(address, signal, () => void show(address, { focus: true }));
  clearTimeout(loading);
  if (signal.aborted) return;
  const heading = await display(address, loaded);
  if (signal.aborted) return;
  scrollTo(0, scroll);
  if (focus) heading.focus({ preventScroll: true });
}

async function display(
  address: string,
  { title, content, isList = false }: View,
): Promise<HTMLElement> {
  const [kind = ''] = splitPath(address);
  document.title = `${title} · gamedata`;
  requireElement('status', HTMLParagraphElement).textContent = '';
  requireElement('breadcrumb', HTMLOListElement).replaceChildren(...createBreadcrumb(address));
  const heading = element('h1', { tabindex: -1 }, title);
  head.replaceChildren(heading, ...createRequestBar(address));
  search.hidden = !isList;
  view.replaceChildren(...content);
  view.removeAttribute('aria-busy');
  for (const link of document.querySelectorAll('.bar nav a'))
    if (link.getAttribute('data-api') === `${API_PREFIX}${kind}/`)
      link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  const fields = new URLSearchParams(parseAddress(location.href, siteRoot).search);
  await setSearch(isList ? { ...Object.fromEntries(fields), kind } : {});
  return heading;
}

// Browsers restore the position before the response arrives.
history.scrollRestoration = 'manual';
let saving: ReturnType<typeof setTimeout> | undefined;
const saveScroll = (): void => history.replaceState({ scroll: scrollY }, '');
addEventListener('pagehide', saveScroll);
addEventListener('scroll', () => {
  clearTimeout(saving);
  saving = setTimeout(saveScroll, 100);
});

function createBreadcrumb(address: string): HTMLElement[] {
  const parts = splitPath(address);
  return ['api', ...parts].map((text, at) => {
    const path = [API_PREFIX, ...parts.slice(0, at).map((part) => `${part}/`)].join('');
    const isCurrent = at === parts.length && 'page';
    return element(
      'li',
      {},
      element('a', { ...getLinkAttributes(path), 'aria-current': isCurrent }, text),
    );
  });
}

/** Percent-encodes characters that shells expand in double quotes. */
const escapeForShell = (url: string): string =>
  url.replaceAll(/["$`!\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);

function createRequestBar(address: string): HTMLElement[] {
  const path = fetchPath(address, linkStyle);
  if (path === undefined) return [];
  const url = siteRoot + path;
  const { pathname, search } = new URL(url);
  const curl = breakUrls(`curl "${escapeForShell(url)}"`);
  const command = element('code', { class: 'curl', hidden: true }, ...curl);
  const copy = createButton('Copy as curl', () => {
    command.hidden = false;
    void copyText(command);
  });
  const json = linkStyle === 'file' ? url : siteRoot + replaceFormat(address).slice(1);
  const line = element('code', {}, element('b', {}, 'GET'), ...breakUrls(` ${pathname}${search}`));
  const actions = element(
    'p',
    { class: 'actions' },
    copy,
    element('a', { href: json }, 'Open JSON'),
  );
  return [element('div', { class: 'request' }, element('p', {}, line), actions, command)];
}

document.addEventListener('click', (event) => {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.altKey ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey
  )
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.classList.contains('skip')) {
    // The fragment may hold the address.
    event.preventDefault();
    requireElement('main', HTMLElement).focus();
  }
  const address = link?.dataset.api;
  if (address === undefined) return;
  event.preventDefault();
  saveScroll();
  history.pushState(null, '', getHref(address));
  void show(address, { focus: true });
});

window.addEventListener('popstate', () => {
  const { address } = parseAddress(location.href, siteRoot);
  if (address !== current) void show(address, { focus: false });
});

function keepInUrl({ q, language }: SearchFields, isEmpty: boolean): void {
  view.hidden = !isEmpty;
  if (search.hidden) return;
  const fields = new URLSearchParams({ q, ...(language !== '' && { language }) });
  history.replaceState(
    history.state,
    '',
    replaceSearch(location.href, isEmpty ? '' : String(fields)),
  );
}

const setSearch = createSearchBox(keepInUrl);
// All records in a list are of the same kind, so there is nothing to choose.
requireElement('kind-field', HTMLDivElement).hidden = true;

if (isOnDisk) showFileFallback();
else {
  const { address, isNegotiated } = parseAddress(location.href, siteRoot);
  view.replaceChildren();
  setLinkMode(isNegotiated);
  void show(address, { focus: false });
}
