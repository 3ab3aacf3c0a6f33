import { kindNames } from './kinds.ts';

export const capitalize = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1);

/** Converts a slug such as `poke-ball` to a title such as `Poke Ball`. */
export function toTitleCase(slug: string): string {
  const words = slug.split('-').filter((word) => word !== '');
  return words.map(capitalize).join(' ');
}

/** Returns the plural of a noun, such as `moves` or `retries`. */
export function pluralize(noun: string): string {
  // This code runs in browsers, and Safari 16 does not support look-behind.
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return `${noun}s`;
}

/** Adds the indefinite article to a noun, as in `an item`. */
export function addArticle(noun: string): string {
  const startsWithVowel = /^[aeiou]/.test(noun);
  return startsWithVowel ? `an ${noun}` : `a ${noun}`;
}

export const formatKindTitle = (kind: string): string => capitalize(pluralize(kind));

/** Lists the first few names and counts the rest, as in `a, b and 3 more`. */
export function listFirst(names: readonly string[], shown = 10): string {
  const first = names.slice(0, shown).join(', ');
  if (names.length <= shown) return first;
  return `${first} and ${names.length - shown} more`;
}

/** Joins names into a list such as `a, b and c`. */
export function joinWords(
  names: readonly string[],
  conjunction: 'and' | 'or' = 'and',
): string {
  const others = names.slice(0, -1);
  const [last = ''] = names.slice(-1);
  if (others.length === 0) return last;
  return `${others.join(', ')} ${conjunction} ${last}`;
}

export const listKinds = (): string => joinWords(kindNames.map(pluralize));

/** Describes the subject of the data, such as `Pokémon moves and items`. */
export const describeSubject = (): string => `Pokémon ${listKinds()}`;

/** The text that pages show for a URL that does not exist. */
export const NOTHING_HERE = 'There is nothing at this URL.';

export const TRADEMARK_NOTE =
  'gamedata is not affiliated with PokéAPI, or with Nintendo, Creatures, GAME FREAK or The Pokémon Company, who own the Pokémon trademark.';

/** Truncates a string to a number of characters, and then appends an ellipsis. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}…`;
}

/** Groups digits in threes, as in `1,234,567`. */
export function groupDigits(value: number): string {
  // Matches the positions that are followed by a multiple of three digits.
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/**
 * Formats a number with a noun in the singular or plural, such as `1 item` or `954
 * items`.
 */
export function formatCount(
  count: number,
  one: string,
  many = pluralize(one),
): string {
  const noun = count === 1 ? one : many;
  return `${groupDigits(count)} ${noun}`;
}

/** We do not use `Intl` because its output differs between machines. */
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

/** Formats a date such as `2017-12-08` as `December 8, 2017`. */
export function formatDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  const monthName = months[Number(month) - 1];
  return `${monthName} ${day}, ${year}`;
}

/**
 * Formats a size as `9.9 kB`, `824 kB` or `1.2 MB`. The thresholds are the sizes at
 * which rounding would result in another unit or an extra digit.
 */
export function formatBytes(bytes: number, blank = ' '): string {
  if (bytes < 1000) return `${bytes}${blank}B`;
  if (bytes >= 999_500) return `${(bytes / 1e6).toFixed(1)}${blank}MB`;
  const decimals = bytes < 9950 ? 1 : 0;
  return `${(bytes / 1000).toFixed(decimals)}${blank}kB`;
}

/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Converts milliseconds to seconds with at most three decimals. */
export const toSeconds = (milliseconds: number): number =>
  Math.round(milliseconds) / 1000;

/** Quotes an argument for a POSIX shell if necessary. */
export function quoteArgument(text: string): string {
  const isPlain = /^[\w./:@%+=,-]+$/.test(text);
  if (isPlain) return text;
  const escaped = text.replaceAll("'", "'\\''");
  return `'${escaped}'`;
}

/**
 * Replaces each matching character with an escape sequence such as `\u001b`. The
 * pattern must match single characters.
 */
export function escapeCharacters(text: string, pattern: RegExp): string {
  return text.replace(pattern, (char) => {
    const digits = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${digits}`;
  });
}

/**
 * Escapes characters that could make untrusted text move the cursor, ring the bell
 * or reverse the writing direction.
 */
export const escapeControls = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
