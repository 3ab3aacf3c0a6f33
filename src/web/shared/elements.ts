/** The page of a script: its elements, made from text only, so that data is never parsed as markup, and what a visitor has chosen. */

import { PLACEHOLDER_ICON } from '../../contract/paths.ts';

/** The base URL with a trailing slash: every script is at the top of the site. */
export const root = new URL('.', import.meta.url).href;

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Content = Node | string;

/** Creates an element. Attributes that are false or undefined are omitted; true is an empty value. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? '' : String(value));
  }
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

/** Null where the browser keeps nothing. */
export function recall(name: Preference): string | null {
  try {
    return localStorage.getItem(`gamedata.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: Preference, value: string): void {
  try {
    localStorage.setItem(`gamedata.${name}`, value);
  } catch {
    // The choice counts for this page.
  }
}
