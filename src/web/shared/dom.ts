import { API_PREFIX, type LinkStyle, PLACEHOLDER_ICON } from '../../contract/paths.ts';
import { tokenize } from './tokens.ts';

/** The base URL with a trailing slash, because every script is at the top of the site. */
export const siteRoot = new URL('.', (document.currentScript as HTMLScriptElement).src).href;

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Content = Node | string;

/** Creates an element without parsing data as markup. Omits attributes that are false or undefined. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  if (['code', 'pre'].includes(name)) created.translate = false;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      created.setAttribute(key, value === true ? '' : String(value));
  created.append(...content);
  return created;
}

/** Allows line breaks after the separators of URLs, instead of inside a word. */
export const breakUrls = (text: string): Content[] =>
  text
    .split(/([/?&=])(?=\w)/)
    .flatMap((part, at) => (at % 2 === 0 ? [part] : [part, element('wbr')]));

/** @throws if the element is missing or has another type */
export function requireElement<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id}: got ${found?.tagName ?? 'nothing'}`);
  return found;
}

export function createButton(label: string, press: () => void): HTMLButtonElement {
  const created = element('button', { type: 'button' }, label);
  created.addEventListener('click', press);
  return created;
}

/** Shows an icon at its path in records, or the placeholder if it cannot be loaded. */
export function createIcon(icon: string, size = 30): HTMLImageElement {
  const image = element('img', {
    alt: '',
    width: size,
    height: size,
    loading: 'lazy',
    decoding: 'async',
  });
  const showPlaceholder = (): void => image.setAttribute('src', siteRoot + PLACEHOLDER_ICON);
  image.addEventListener('error', showPlaceholder, { once: true });
  image.src = siteRoot + icon;
  return image;
}

/** Copies the text of an element, and reports the result in the page's `#status`. */
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
    if (status.textContent === message) status.textContent = '';
  }, 6000);
}

export const linkStyle: LinkStyle =
  document.documentElement.dataset.links === 'file' ? 'file' : 'query';

/** Plain file servers may not serve a folder's index page. */
export const folderPage = linkStyle === 'file' ? 'index.html' : '';

/** Whether the host serves pages at API paths. Otherwise, the browsable page reads the path from the fragment. */
let isNegotiated = linkStyle === 'query';

export const getHref = (address: string): string =>
  isNegotiated ? siteRoot + address.slice(1) : `${siteRoot}browse/${folderPage}#${address}`;

export const getLinkAttributes = (address: string): Attributes => ({
  href: getHref(address),
  'data-api': address,
});

export const createLink = (address: string, text: string): HTMLElement =>
  element('a', getLinkAttributes(address), ...breakUrls(text));

/** Browsers block requests from scripts on `file:` pages. */
export const isOnDisk = location.protocol === 'file:';

/** Shows the content for pages without scripts, hides controls that send requests, and links to files. */
export function showFileFallback(): void {
  for (const plain of document.querySelectorAll('noscript'))
    plain.replaceWith(document.createRange().createContextualFragment(plain.textContent));
  for (const part of document.querySelectorAll<HTMLElement>('.served')) part.hidden = true;
  for (const anchor of document.querySelectorAll('a')) {
    if (anchor.dataset.api !== undefined) anchor.href = siteRoot + anchor.dataset.api.slice(1);
    if (anchor.pathname.endsWith('/'))
      anchor.pathname += anchor.pathname.includes(API_PREFIX) ? 'index.json' : 'index.html';
  }
}

export function setLinkMode(negotiated: boolean): void {
  isNegotiated = negotiated;
  for (const anchor of document.querySelectorAll('a'))
    if (anchor.dataset.api !== undefined) anchor.href = getHref(anchor.dataset.api);
}

/** Adapts links to the host, which may not serve pages at API paths. */
export async function adaptLinks(): Promise<void> {
  if (isOnDisk) return showFileFallback();
  if (!isNegotiated) return;
  try {
    const headers = { Accept: 'text/html' };
    const response = await fetch(siteRoot + API_PREFIX.slice(1), { method: 'HEAD', headers });
    setLinkMode(/^text\/html/.test(response.headers.get('Content-Type') ?? ''));
  } catch {
    // The host stays unknown.
  }
}

export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export async function fetchJson<T>(file: string): Promise<T> {
  const response = await fetch(siteRoot + file);
  if (!response.ok) throw new Error(`${file}: got ${response.status}`);
  return response.json();
}

type LinkString = (text: string) => Node | undefined;

/** Highlights code. @param linkString creates a link for a JSON string, or returns undefined if it is not a link */
export function highlight(code: string, linkString: LinkString = () => undefined): Content[] {
  const content: Content[] = [];
  for (const { text, type } of tokenize(code)) {
    const link = type === 'string' ? linkString(text) : undefined;
    if (link) content.push(link);
    else if (type === undefined) content.push(text);
    else content.push(element('span', { class: type }, ...breakUrls(text)));
  }
  return content;
}
