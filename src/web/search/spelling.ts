import Fuzzy from '@leeoniya/ufuzzy';

/** Letters and signs that many keyboards lack, and that are not a letter with an accent. */
const substitutes: Readonly<Record<string, string>> = {
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
  '’': "'",
};

/** How German is written on keyboards without umlauts. Most people omit only the dots. */
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Removes differences that a search ignores: case, accents, and the half-width and full-width
 * characters of Japanese keyboards.
 */
export function simplify(text: string): string {
  const lowerCase = text.normalize('NFKC').toLowerCase();
  const substituted = lowerCase.replaceAll(/[œæß’]/g, (letter) => substitutes[letter] ?? letter);
  return Fuzzy.latinize(substituted);
}

/** Lists the ways to type a name, with one space between words. */
export function listSpellings(name: string): string[] {
  const usual = separateWords(simplify(name));
  const lowerCase = name.normalize('NFKC').toLowerCase();
  const expanded = lowerCase.replaceAll(/[äöü]/g, (letter) => umlauts[letter] ?? letter);
  if (expanded === lowerCase) return [usual];
  return [usual, separateWords(simplify(expanded))];
}

/**
 * Replaces everything except letters and numbers with spaces: `creve-cœur` and `creve cœur` are the
 * same words.
 */
export const separateWords = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();

/** Added to the ratings of less exact matches. No name is this long. */
const JOINED = 10_000;
const ANY_ORDER = 2 * JOINED;

/**
 * Rates how well a spelling matches the words of a query, where lower is better: words at an early
 * position, then words that differ only in their spaces, then words in another order. Returns
 * undefined if a word is missing.
 */
export function rateSpelling(spelling: string, words: string): number | undefined {
  const position = spelling.indexOf(words);
  if (position >= 0) return position;
  const joinedPosition = joinWords(spelling).indexOf(joinWords(words));
  if (joinedPosition >= 0) return JOINED + joinedPosition;
  const hasEveryWord = words.split(' ').every((word) => spelling.includes(word));
  return hasEveryWord ? ANY_ORDER : undefined;
}

const joinWords = (words: string): string => words.replaceAll(' ', '');
