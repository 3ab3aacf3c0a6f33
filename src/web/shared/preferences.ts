/** What a visitor has chosen, kept by the browser; forgotten where it keeps nothing. */

/** Name → its values. */
interface Preferences {
  /** Whether `/` leads to the search box. */
  shortcut: 'on' | 'off';
  /** How lists are shown. */
  view: 'table' | 'json';
  /** The language of code samples. */
  language: string;
}

const keyOf = (name: keyof Preferences): string => `gamedata.${name}`;

export function recall(name: keyof Preferences): string | null {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return null;
  }
}

export function remember<N extends keyof Preferences>(name: N, value: Preferences[N]): void {
  try {
    localStorage.setItem(keyOf(name), value);
  } catch {
    // The choice counts for this page.
  }
}
