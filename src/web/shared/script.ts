/** What the scripts of the pages share: elements, links to endpoints, requests, and what a visitor has chosen. */

import { API_PREFIX, type LinkStyle, PLACEHOLDER_ICON } from '../../contract/paths.ts';

/** The base URL with a trailing slash: every script is at the top of the site. */
export const root = new URL('.', (document.currentScript as HTMLScriptElement).src).href;

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Content = Node | string;

/**
 * Creates an element, from text only, so that data is never parsed as markup. Attributes that are false or undefined are
 * omitted; true is an empty value.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  made.append(...content);
  return made;
}

/** An element that has to exist. */
export function find<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id}: got ${found?.tagName ?? 'nothing'}`);
  return found;
}

export function button(label: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, label);
  made.addEventListener('click', press);
  return made;
}

/**
 * An item's icon: from this site, which may redirect to the upstream; the placeholder if it cannot be loaded.
 *
 * @param icon as in records, relative to the base URL
 * @param size in pixels
 */
export function iconImage(icon: string, size = 30): HTMLImageElement {
  const image = element('img', { alt: '', width: size, height: size, loading: 'lazy', decoding: 'async' });
  const replace = (): void => image.setAttribute('src', root + PLACEHOLDER_ICON);
  image.addEventListener('error', replace, { once: true });
  image.src = root + icon;
  return image;
}

/** How long a message stays. */
const SAID_MS = 6000;

/** Copies the text of an element, and says so in the page's `#said`. */
export async function copyText(shown: HTMLElement): Promise<void> {
  const status = find('said', HTMLParagraphElement);
  let said = 'Copied.';
  try {
    // On insecure origins `navigator.clipboard` is undefined.
    await navigator.clipboard.writeText(shown.textContent);
  } catch {
    getSelection()?.selectAllChildren(shown);
    said = 'Copying is not available here. It is selected: copy it with the keyboard or menu.';
  }
  status.textContent = said;
  setTimeout(() => {
    if (status.textContent === said) status.textContent = '';
  }, SAID_MS);
}

/** Whether `/` leads to the search box (on, off), how lists are shown (table, json), the language of code samples, that of names. */
type Preference = 'shortcut' | 'view' | 'language' | 'names';

/** What a visitor has chosen, or chooses now; null where the browser keeps nothing. */
export function preference(name: Preference, choice?: string): string | null {
  try {
    if (choice !== undefined) localStorage.setItem(`gamedata.${name}`, choice);
    return localStorage.getItem(`gamedata.${name}`);
  } catch {
    return null;
  }
}

/** The style of the links in the data. */
export const linkStyle: LinkStyle = document.documentElement.dataset.links === 'file' ? 'file' : 'query';

/** What the path of a page ends in, after its folder: stores of files only know files. */
export const folderPage = linkStyle === 'file' ? 'index.html' : '';

/** Whether the host serves the browsable page at API paths; else it takes the path from the fragment. */
let isNegotiated = linkStyle === 'query';

/** The `href` of a link to an endpoint. */
export const hrefTo = (address: string): string =>
  isNegotiated ? root + address.slice(1) : `${root}browse/${folderPage}#${address}`;

export const linkTo = (address: string): Attributes => ({ href: hrefTo(address), 'data-api': address });

export const link = (address: string, text: string): HTMLElement => element('a', linkTo(address), text);

/** Whether the page was opened from disk, where browsers refuse every request of a script. */
export const isOnDisk = location.protocol === 'file:';

/** Shows what is for pages without scripts, instead of what sends requests, and links to files. */
export function useFiles(): void {
  for (const plain of document.querySelectorAll('noscript'))
    plain.replaceWith(document.createRange().createContextualFragment(plain.textContent));
  for (const part of document.querySelectorAll<HTMLElement>('.served')) part.hidden = true;
  for (const anchor of document.querySelectorAll('a')) {
    if (anchor.dataset.api !== undefined) anchor.href = root + anchor.dataset.api.slice(1);
    if (anchor.pathname.endsWith('/'))
      anchor.pathname += anchor.pathname.includes(API_PREFIX) ? 'index.json' : 'index.html';
  }
}

/** Adapts the links of the page to the host. */
export function setNegotiated(negotiated: boolean): void {
  isNegotiated = negotiated;
  for (const anchor of document.querySelectorAll('a'))
    if (anchor.dataset.api !== undefined) anchor.href = hrefTo(anchor.dataset.api);
}

/** Asks the host, and adapts the links of the page to it. */
export async function fitLinks(): Promise<void> {
  if (isOnDisk) return useFiles();
  if (!isNegotiated) return;
  try {
    const headers = { Accept: 'text/html' };
    const response = await fetch(root + API_PREFIX.slice(1), { method: 'HEAD', headers });
    setNegotiated(/^text\/html/.test(response.headers.get('Content-Type') ?? ''));
  } catch {
    // A failed request says nothing about the host.
  }
}

export interface Outcome {
  readonly response?: Response;
  /** Undefined if the response is not JSON, which no endpoint sends. */
  readonly json?: unknown;
  /** Why there is no response. */
  readonly reason?: string;
}

export async function send(url: string, signal: AbortSignal | null = null): Promise<Outcome> {
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' }, signal });
    const text = await response.text();
    try {
      return { response, json: JSON.parse(text) };
    } catch {
      return { response };
    }
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A file of the site. Throws if there is none. */
export async function fetchJson<T>(file: string): Promise<T> {
  const response = await fetch(root + file);
  if (!response.ok) throw new Error(`${file}: got ${response.status}`);
  return response.json();
}

/** HTTP/2 and later have no reason phrases. */
const words: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  404: 'Not Found',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

export const statusLine = ({ status, statusText }: Response): string =>
  `HTTP ${status} ${statusText || (words[status] ?? '')}`.trimEnd();

const shownHeaders = ['Allow', 'Content-Type', 'Vary', 'Cache-Control', 'ETag', 'Last-Modified'];

/** The headers that are of interest to people. */
export const headerLines = ({ headers }: Response): (readonly [name: string, value: string])[] =>
  shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
