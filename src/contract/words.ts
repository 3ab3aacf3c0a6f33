import { kindNames } from './kinds.ts';

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `poke-ball` → `Poke Ball` */
export function toTitleCase(slug: string): string {
  const words = slug.split('-').filter((word) => word !== '');
  return words.map(capitalize).join(' ');
}

/** `move` → `moves`, `retry` → `retries` */
export function pluralize(noun: string): string {
  // Browsers run this, and Safari 16 has no look-behind.
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return `${noun}s`;
}

/** `item` → `an item` */
export function addArticle(noun: string): string {
  const startsWithVowel = /^[aeiou]/.test(noun);
  return startsWithVowel ? `an ${noun}` : `a ${noun}`;
}

export const formatKindTitle = (kind: string): string => capitalize(pluralize(kind));

/** `a, b and 3 more` */
export function listFirst(names: readonly string[], shown = 10): string {
  const first = names.slice(0, shown).join(', ');
  if (names.length <= shown) return first;
  return `${first} and ${names.length - shown} more`;
}

/** `a, b and c` */
export function joinWords(names: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const others = names.slice(0, -1);
  const [last = ''] = names.slice(-1);
  if (others.length === 0) return last;
  return `${others.join(', ')} ${conjunction} ${last}`;
}

export const listKinds = (): string => joinWords(kindNames.map(pluralize));

/** What the data is about: `Pokémon moves and items` */
export const describeSubject = (): string => `Pokémon ${listKinds()}`;

export const TRADEMARK_NOTE =
  'gamedata is not affiliated with PokéAPI, or with Nintendo, Creatures, GAME FREAK or The Pokémon Company, who own the Pokémon trademark.';

/** `1234567` → `1,234,567` */
export function groupDigits(value: number): string {
  // Matches the places that have a multiple of three digits after them.
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 item`, `954 items` */
export function formatCount(count: number, one: string, many = pluralize(one)): string {
  const noun = count === 1 ? one : many;
  return `${groupDigits(count)} ${noun}`;
}

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
  const monthName = months[Number(month) - 1];
  return `${monthName} ${day}, ${year}`;
}

/** `9.9 kB`, `824 kB`, `1.2 MB`. The limits are where rounding would give another unit or digit. */
export function formatBytes(bytes: number, blank = ' '): string {
  if (bytes < 1000) return `${bytes}${blank}B`;
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)}${blank}MB`;
  const decimals = bytes < 9950 ? 1 : 0;
  return `${(bytes / 1000).toFixed(decimals)}${blank}kB`;
}

/** Rounds to milliseconds. */
export const toSeconds = (milliseconds: number): number => Math.round(milliseconds) / 1000;

/** Quotes an argument for a POSIX shell if necessary. */
export function quoteArgument(text: string): string {
  const isPlain = /^[\w./:@%+=,-]+$/.test(text);
  if (isPlain) return text;
  const escaped = text.replaceAll("'", "'\\''");
  return `'${escaped}'`;
}

/** Replaces the matches, of one character each, by escapes such as `\u001b`. */
export function escapeCharacters(text: string, pattern: RegExp): string {
  return text.replace(pattern, (char) => {
    const digits = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${digits}`;
  });
}

/**
 * Keeps untrusted text from moving the cursor, ringing the bell or reversing the writing direction.
 */
export const escapeControls = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
