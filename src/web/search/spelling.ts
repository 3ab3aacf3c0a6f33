import Fuzzy from '@leeoniya/ufuzzy';

/**
 * Replacements for letters and signs that are missing on many keyboards. Letters
 * with accents are handled separately.
 */
const substitutes: Readonly<Record<string, string>> = {
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
  '’': "'",
};

/**
 * Replacements for umlauts, as used on keyboards without them. Most people just
 * leave out the dots instead.
 */
const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Removes differences that a search ignores: upper and lower case, accents, the two
 * Japanese syllabaries, and their half-width and full-width characters.
 */
export function simplify(text: string): string {
  const lowerCase = text.normalize('NFKC').toLowerCase();
  const substituted = lowerCase.replaceAll(
    /[œæß’]/g,
    (letter) => substitutes[letter] ?? letter,
  );
  return Fuzzy.latinize(toKatakana(substituted));
}

/**
 * The distance between the code points of the same sound in the two Japanese
 * syllabaries.
 */
const KATAKANA_OFFSET = 'ァ'.charCodeAt(0) - 'ぁ'.charCodeAt(0);

/** Replaces hiragana with katakana, in which names are written: `ぱんち` → `パンチ`. */
function toKatakana(text: string): string {
  return text.replaceAll(/[ぁ-ゖ]/g, (sound) =>
    String.fromCharCode(sound.charCodeAt(0) + KATAKANA_OFFSET),
  );
}

/**
 * Lists the ways in which users may type a name, with one space between words. For
 * example, they may type `Schlüssel` as `schlussel` or `schluessel`.
 */
export function listSpellings(name: string): string[] {
  const usual = separateWords(simplify(name));
  const lowerCase = name.normalize('NFKC').toLowerCase();
  const expanded = lowerCase.replaceAll(
    /[äöü]/g,
    (letter) => umlauts[letter] ?? letter,
  );
  if (expanded === lowerCase) return [usual];
  return [usual, separateWords(simplify(expanded))];
}

/**
 * Replaces everything except letters and numbers with spaces, so that `creve-cœur`
 * and `creve cœur` are the same words.
 */
export const separateWords = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();

/**
 * Added to the ratings of less exact matches, to rank them after all exact ones. No
 * name is this long.
 */
const JOINED = 10_000;
const ANY_ORDER = 2 * JOINED;

/**
 * Rates how well a spelling matches a query's words. Lower ratings are better. The
 * best matches contain the query itself, the earlier the better. Next come matches
 * that differ only in their spaces, and then matches with the words in another
 * order. Returns undefined if a word is missing.
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
