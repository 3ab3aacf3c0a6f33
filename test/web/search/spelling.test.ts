import { describe, expect, it } from 'vitest';
import {
  listSpellings,
  rateSpelling,
  separateWords,
  simplify,
} from '../../../src/web/search/spelling.ts';

it.each([
  ['Écras’Face', "ecras'face"],
  ['Crève-Cœur', 'creve-coeur'],
  ['ŒUF', 'oeuf'],
  ['Fußkick', 'fusskick'],
  ['GROẞ', 'gross'],
  ['Ætheria', 'aetheria'],
  ['ＴＭ０１', 'tm01'],
  ['ﾓﾝｽﾀｰ', 'モンスター'],
])('simplifies the text %s to %s', (text, simple) => {
  expect(simplify(text)).toBe(simple);
});

it.each([
  ["creve-coeur  d'acier!", 'creve coeur d acier'],
  ['モンスターボール', 'モンスターボール'],
  ['(.*)', ''],
])('separates the words in %j by single spaces', (text, words) => {
  expect(separateWords(text)).toBe(words);
});

it.each([
  ['Fußkick', ['fusskick']],
  ['Überwurf', ['uberwurf', 'ueberwurf']],
])('lists the spellings of %s', (name, spellings) => {
  expect(listSpellings(name)).toEqual(spellings);
});

describe('rateSpelling', () => {
  it('rates an early match best, and a match in a different word order worst', () => {
    const ratings = [
      rateSpelling('super ball', 'super'),
      rateSpelling('super ball', 'ball'),
      rateSpelling('super ball', 'superball'),
      rateSpelling('super ball', 'ball super'),
    ].map(Number);
    expect(ratings).not.toContain(Number.NaN);
    expect(ratings).toEqual(ratings.toSorted((a, b) => a - b));
    expect(new Set(ratings).size).toBe(4);
  });

  it('returns undefined if a word from the query is missing', () => {
    expect(rateSpelling('super ball', 'super potion')).toBeUndefined();
  });
});
