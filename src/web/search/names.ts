/** Search by names in another language: which one, and its file. */

import type { Names } from '../../contract/names.ts';
import { namesFile } from '../../contract/paths.ts';
import type { Attributes } from '../shared/elements.ts';
import { recall, remember } from '../shared/preferences.ts';
import { fetchJson } from '../shared/request.ts';

/** The attributes of text in a language. */
export const inLanguage = (language: string): Attributes => ({ lang: language, dir: 'auto' });

/** The field with the language of names; null on sites without any. */
export const languageField = (): HTMLSelectElement | null => document.querySelector('#names-language');

/** Selects what was chosen last, or else what the browser prefers, and remembers other choices. */
export function prepare(field: HTMLSelectElement): void {
  const known = Array.from(field.options, ({ value }) => value);
  const last = recall('names') ?? preferredLanguage(navigator.languages, known);
  if (known.includes(last)) field.value = last;
  field.addEventListener('change', () => remember('names', field.value));
}

/** The first of a visitor's languages, as in `navigator.languages`, that is known; empty for English, which records are in. */
export function preferredLanguage(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted.map((one) => one.toLowerCase())) {
    const [language = ''] = tag.split('-');
    // Of Chinese, the script counts.
    const script = /hant|tw|hk|mo/.test(tag) ? 'hant' : 'hans';
    const found = [tag, language, `${language}-${script}`].find((one) => known.includes(one));
    if (found !== undefined || language === 'en') return found ?? '';
  }
  return '';
}

const loaded = new Map<string, Promise<Names>>();

/** Loads a language's names once, and again after a failure. */
export function loadNames(language: string): Promise<Names> {
  const names = loaded.get(language) ?? fetchJson<Names>(namesFile(language));
  loaded.set(language, names);
  names.catch(() => loaded.delete(language));
  return names;
}
