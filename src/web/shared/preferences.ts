/** What a visitor has chosen, kept by the browser; forgotten where it keeps nothing. */

/** Whether `/` leads to the search box (on, off), how lists are shown (table, json), the language of code samples, that of names. */
type Preference = 'shortcut' | 'view' | 'language' | 'names';

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
