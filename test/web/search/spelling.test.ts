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
])('simplifies %s to %s', (text, simple) => {
  expect(simplify(text)).toBe(simple);
});

it.each([
  ["creve-coeur  d'acier!", 'creve coeur d acier'],
  ['モンスターボール', 'モンスターボール'],
  ['(.*)', ''],
])('separates the words of %j', (text, words) => {
  expect(separateWords(text)).toBe(words);
});

it.each([
  ['Fußkick', ['fusskick']],
  ['Überwurf', ['uberwurf', 'ueberwurf']],
])('lists the ways to type %s', (name, spellings) => {
  expect(listSpellings(name)).toEqual(spellings);
});

describe('rateSpelling', () => {
  it('prefers an early position, then words that differ in spaces, then another order', () => {
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

  it('rejects a spelling that lacks a word', () => {
    expect(rateSpelling('super ball', 'super potion')).toBeUndefined();
  });
});
