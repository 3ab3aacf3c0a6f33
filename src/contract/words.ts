/** Names, numbers and text as people read them, the same on every machine. */

import { kindNames } from './kinds.ts';

export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `poke-ball` → `Poke Ball` */
export const toTitleCase = (slug: string): string =>
  slug
    .split('-')
    .filter((word) => word !== '')
    .map(capitalize)
    .join(' ');

/** `move` → `moves`, `retry` → `retries` */
export const pluralize = (noun: string): string => `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`;

/** `move` → `a move`, `item` → `an item` */
export const addArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The heading of a kind's list: `move` → `Moves`. */
export const formatKindTitle = (kind: string): string => capitalize(pluralize(kind));

/** The first of many names, and how many more there are: `a, b and 3 more`. */
export function listFirst(names: readonly string[], shown = 10): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : '';
  return names.slice(0, shown).join(', ') + more;
}

/** `a, b and c` */
export const joinWords = (names: readonly string[]): string =>
  names.join(', ').replace(/, (?!.*, )/, ' and ');

/** `moves and items` */
export const listKinds = (): string => joinWords(kindNames.map(pluralize));

/** `3160` → `3,160` */
export const groupDigits = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 item`, `954 items` */
export const formatCount = (count: number, one: string, many = pluralize(one)): string =>
  `${groupDigits(count)} ${count === 1 ? one : many}`;

/** A size in bytes → `824 kB`, in units of a thousand. */
export function formatBytes(bytes: number, blank = ' '): string {
  if (bytes < 1000) return `${bytes}${blank}B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)}${blank}kB`;
  return `${(bytes / 1e6).toFixed(1)}${blank}MB`;
}

/** Seconds to the millisecond. @param started by `performance.now()` */
export const measureSeconds = (started: number): number => Math.round(performance.now() - started) / 1000;

/** Writes characters as JSON escapes, such as `\u001b`. */
export const escapeCharacters = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Text from outside must not move the cursor, ring the bell or reverse the direction of writing. */
export const escapeControls = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
