import { ignoreBlockedStorage } from '../shared/blocked-storage.ts';
import { findPreferredLanguage } from './preferred-language.ts';

export const getLangAttributes = (language: string) => ({
  lang: language,
  dir: 'auto',
});

/**
 * Finds the field in which the user chooses a language. Returns null if the site has only
 * English names.
 */
export const findLanguageField = (): HTMLSelectElement | null =>
  document.querySelector('#names-language');

export const listLanguages = (field: HTMLSelectElement | null): string[] =>
  Array.from(field?.options ?? [], ({ value }) => value);

const LANGUAGE_KEY = 'gamedata.names';

/**
 * Selects the language that the user chose last, or else the browser's language, and
 * remembers later choices.
 */
export function preselectLanguage(field: HTMLSelectElement): void {
  const last = ignoreBlockedStorage(() => localStorage.getItem(LANGUAGE_KEY));
  const known = listLanguages(field);
  selectLanguage(field, last ?? findPreferredLanguage(navigator.languages, known));
  field.addEventListener('change', () =>
    ignoreBlockedStorage(() => localStorage.setItem(LANGUAGE_KEY, field.value)),
  );
}

export function selectLanguage({ options }: HTMLSelectElement, value: string): void {
  for (const option of options) {
    if (option.value === value) option.selected = true;
  }
}
