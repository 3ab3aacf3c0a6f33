/** The browsable page: shows the response of one endpoint, and navigates to others without leaving the page. */

import { API_PREFIX, type LinkStyle } from '../../contract/paths.ts';
import { copyText } from '../shared/clipboard.ts';
import { button, element, find } from '../shared/elements.ts';
import { addressIn, asJson, hrefTo, partsOf, placeOf, sourceOf } from './address.ts';
import { send } from './request.ts';
import { notBuilt, type State, stateOf } from './states.ts';

/** Faster responses need no loading indicator. */
const PATIENCE_MS = 200;

const view = find('view', HTMLDivElement);
const said = find('said', HTMLParagraphElement);
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
  const options = { address, root: place.root, hrefTo: to, retry: () => void show(address, { focus: true }) };
  const source = sourceOf(address, place);
  const waiting = setTimeout(() => view.setAttribute('aria-busy', 'true'), PATIENCE_MS);
  const state = source === undefined ? notBuilt(options) : stateOf(await send(source, signal), options);
  clearTimeout(waiting);
  if (!signal.aborted) put(address, source, state, focus);
}

function put(address: string, source: string | undefined, { title, content }: State, focus: boolean): void {
  said.textContent = '';
  const heading = element('h1', { tabindex: -1 }, title);
  document.title = `${title} · gamedata`;
  find('breadcrumb', HTMLOListElement).replaceChildren(...breadcrumb(address));
  view.replaceChildren(heading, ...(source === undefined ? [] : [requestBar(address, source)]), ...content);
  for (const raw of view.querySelectorAll('[aria-pressed]'))
    raw.toggleAttribute('hidden', !view.querySelector('.json'));
  view.removeAttribute('aria-busy');
  if (!focus) return;
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

/** The request, and actions for it. */
function requestBar(address: string, source: string): HTMLElement {
  const { pathname, search } = new URL(source);
  const command = element('code', { class: 'curl', hidden: true }, `curl '${source.replaceAll("'", '%27')}'`);
  const copy = button('Copy as curl', () => {
    command.hidden = false;
    void copyText(command.textContent, command, said);
  });
  const raw = button('Minified', () => {
    const isRaw = raw.getAttribute('aria-pressed') !== 'true';
    raw.setAttribute('aria-pressed', String(isRaw));
    showRaw(isRaw);
  });
  raw.setAttribute('aria-pressed', 'false');
  const alone = place.links === 'file' ? source : place.root + asJson(address).slice(1);
  return element(
    'div',
    { class: 'request' },
    element('p', {}, element('code', {}, element('b', {}, 'GET'), ` ${pathname}${search}`)),
    element('p', { class: 'actions' }, copy, raw, element('a', { href: alone }, 'Open JSON')),
    command,
  );
}

/** The body as it was sent, or formatted. */
function showRaw(isRaw: boolean): void {
  for (const body of view.querySelectorAll('pre.json')) {
    if (!(body instanceof HTMLElement)) continue;
    const other = element('pre', { class: 'raw' }, body.dataset.raw ?? '');
    if (isRaw) body.after(other);
    else body.nextElementSibling?.remove();
    body.hidden = isRaw;
  }
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
    find('main', HTMLElement).focus();
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

void show(addressIn(location, place), { focus: false });
