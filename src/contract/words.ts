import { kindNames } from './kinds.ts';

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `poke-ball` → `Poke Ball` */
export const toTitleCase = (slug: string): string =>
  (slug.match(/[^-]+/g) ?? []).map(capitalize).join(' ');

/** `move` → `moves`, `retry` → `retries` */
export function pluralize(noun: string): string {
  // Browsers run this, and Safari 16 has no look-behind.
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return `${noun}s`;
}

export const addArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

export const formatKindTitle = (kind: string): string => capitalize(pluralize(kind));

/** `a, b and 3 more` */
export function listFirst(names: readonly string[], shown = 10): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : '';
  return names.slice(0, shown).join(', ') + more;
}

/** `a, b and c` */
export const joinWords = (names: readonly string[], conjunction: 'and' | 'or' = 'and'): string =>
  names.join(', ').replace(/, (?!.*, )/, ` ${conjunction} `);

export const listKinds = (): string => joinWords(kindNames.map(pluralize));

/** What the data is about: `Pokémon moves and items` */
export const describeSubject = (): string => `Pokémon ${listKinds()}`;

export const TRADEMARK_NOTE =
  'gamedata is not affiliated with PokéAPI, or with Nintendo, Creatures, GAME FREAK or The Pokémon Company, who own the Pokémon trademark.';

export const groupDigits = (value: number): string =>
  String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 item`, `954 items` */
export const formatCount = (count: number, one: string, many = pluralize(one)): string =>
  `${groupDigits(count)} ${count === 1 ? one : many}`;

/** We do not use `Intl`, whose texts differ between machines. */
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2017-12-08` → `December 8, 2017` */
export function formatDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  return `${months[Number(month) - 1]} ${day}, ${year}`;
}

/** `824 kB` */
export function formatBytes(bytes: number, blank = ' '): string {
  if (bytes < 1000) return `${bytes}${blank}B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)}${blank}kB`;
  return `${(bytes / 1e6).toFixed(1)}${blank}MB`;
}

/** Rounds to milliseconds. */
export const toSeconds = (milliseconds: number): number => Math.round(milliseconds) / 1000;

/** Quotes an argument for a POSIX shell if necessary. */
export const quoteArgument = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const escapeCharacters = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Keeps untrusted text from moving the cursor, ringing the bell or reversing the writing direction.
 */
export const escapeControls = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
