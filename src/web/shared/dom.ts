import type { Kind } from '../../contract/kinds.ts';
import { API_PREFIX, type LinkStyle, recordPath } from '../../contract/paths.ts';
import { type Markup, renderBreakable } from './html.ts';
import { removeCredentials } from './page-url.ts';

const script = document.currentScript as HTMLScriptElement;

/**
 * The base URL with a trailing slash. Every script is in the top folder of the site,
 * so we derive all URLs from the script's own URL.
 */
export const siteRoot = removeCredentials(new URL('.', script.src).href);

export const readPageUrl = (): string => removeCredentials(location.href);

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Content = Node | string;

/**
 * Creates an element. Content is never parsed as markup, and attributes that are
 * false or undefined are omitted.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  // Browsers that translate the page must leave code unchanged.
  if (name === 'code' || name === 'pre') created.translate = false;
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    created.setAttribute(key, value === true ? '' : String(value));
  }
  created.append(...content);
  return created;
}

/**
 * Finds an element by its id.
 *
 * @throws if the element is missing or has another type
 */
export function requireElement<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`#${id}: got ${found?.tagName ?? 'nothing'}`);
  }
  return found;
}

/** Replaces an element's content. */
export function setContent(target: Element, markup: Markup): void {
  target.innerHTML = markup.text;
}

export function createButton(label: string, press: () => void): HTMLButtonElement {
  const created = element('button', { type: 'button' }, label);
  created.addEventListener('click', press);
  return created;
}

const COPIED_MS = 6000;

/** Copies an element's text, and shows the result in the page's `#status`. */
export async function copyText(source: HTMLElement): Promise<void> {
  const status = requireElement('status', HTMLParagraphElement);
  let message = 'Copied.';
  try {
    // `navigator.clipboard` is undefined on insecure origins.
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    getSelection()?.selectAllChildren(source);
    message =
      'Copying is not available here. The text is selected: copy it with the keyboard or menu.';
  }
  status.textContent = message;
  setTimeout(() => {
    const isLatest = status.textContent === message;
    if (isLatest) status.textContent = '';
  }, COPIED_MS);
}

export const linkStyle: LinkStyle =
  document.documentElement.dataset.links === 'file' ? 'file' : 'query';

/**
 * The name of a folder's page in links. Plain file servers may not serve
 * `index.html` for a folder's URL, so links to files name it.
 */
export const folderPage = linkStyle === 'file' ? 'index.html' : '';

/**
 * Whether the host serves pages at API paths. If it does not, links lead to the
 * browsable page, with the API path in the fragment.
 */
let isNegotiated = linkStyle === 'query';

export const getHref = (address: string): string =>
  isNegotiated
    ? siteRoot + address.slice(1)
    : `${siteRoot}browse/${folderPage}#${address}`;

/**
 * Returns the attributes of a link to an endpoint. The browsable page finds such a link by
 * `data-api`, and shows the endpoint without leaving the page.
 */
export const getLinkAttributes = (address: string): Attributes => ({
  href: getHref(address),
  'data-api': address,
});

/** Returns the attributes of a link to a record's page. */
export const getRecordLinkAttributes = (kind: Kind, slug: string): Attributes =>
  getLinkAttributes(`${recordPath(kind, slug)}?format=api`);

export function createLink(address: string, text: string): HTMLElement {
  const link = element('a', getLinkAttributes(address));
  setContent(link, renderBreakable(text));
  return link;
}

/**
 * Whether the page was opened as a file. Browsers block requests from scripts on
 * `file:` pages.
 */
export const isOnDisk = location.protocol === 'file:';

/**
 * Adapts a page that was opened as a file: shows the content of its `noscript`
 * elements, hides controls that send requests, and makes links point to files.
 */
export function showFileFallback(): void {
  for (const fallback of document.querySelectorAll('noscript')) {
    const content = document
      .createRange()
      .createContextualFragment(fallback.textContent);
    fallback.replaceWith(content);
  }
  // Controls of this class work only if a server serves the page.
  for (const control of document.querySelectorAll<HTMLElement>('.served')) {
    control.hidden = true;
  }
  for (const link of document.querySelectorAll('a')) {
    // A link to an endpoint has the endpoint's path in `data-api`.
    if (link.dataset.api !== undefined) {
      link.href = siteRoot + link.dataset.api.slice(1);
    }
    if (!link.pathname.endsWith('/')) continue;
    const isEndpoint = link.pathname.includes(API_PREFIX);
    link.pathname += isEndpoint ? 'index.json' : 'index.html';
  }
}

/**
 * Changes the links to endpoints so that they work on this host.
 *
 * @param servesPages whether the host serves pages at API paths
 */
export function setLinkMode(servesPages: boolean): void {
  isNegotiated = servesPages;
  for (const link of document.querySelectorAll('a')) {
    if (link.dataset.api !== undefined) link.href = getHref(link.dataset.api);
  }
}

/**
 * Finds out whether the host serves pages at API paths, by requesting HTML with an
 * `Accept` header. If the response is not HTML, links lead to the browsable page
 * instead.
 */
export async function adaptLinks(): Promise<void> {
  if (isOnDisk) return showFileFallback();
  if (!isNegotiated) return;
  try {
    const apiRoot = siteRoot + API_PREFIX.slice(1);
    const headers = { Accept: 'text/html' };
    const response = await fetch(apiRoot, { method: 'HEAD', headers });
    const type = response.headers.get('Content-Type') ?? '';
    const servesPages = type.startsWith('text/html');
    setLinkMode(servesPages);
  } catch {
    // If the request fails, the links stay as they are.
  }
}

export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export async function fetchJson<T>(file: string): Promise<T> {
  const response = await fetch(siteRoot + file);
  if (!response.ok) throw new Error(`${file}: got ${response.status}`);
  return response.json();
}
