import { expect, it } from 'vitest';
import * as words from '../../src/contract/words.ts';

it.each<[unknown, unknown]>([
  [
    ['poke-ball', 'dna-splicers--merge', ''].map(words.toTitleCase),
    ['Poke Ball', 'Dna Splicers Merge', ''],
  ],
  [['move', 'item'].map(words.addArticle), ['a move', 'an item']],
  [['move', 'retry', 'key'].map(words.pluralize), ['moves', 'retries', 'keys']],
  [words.formatKindTitle('move'), 'Moves'],
  [words.listFirst(['a', 'b'], 2), 'a, b'],
  [words.listFirst([...'abcd'], 2), 'a, b and 2 more'],
  [words.listFirst([]), ''],
  [words.listFirst([...'abcdefghijk']), 'a, b, c, d, e, f, g, h, i, j and 1 more'],
  [
    [['a'], ['a', 'b'], ['a', 'b', 'c']].map((names) => words.joinWords(names)),
    ['a', 'a and b', 'a, b and c'],
  ],
  [words.joinWords(['a', 'b', 'c'], 'or'), 'a, b or c'],
  [[999, 3160, 1_234_567].map(words.groupDigits), ['999', '3,160', '1,234,567']],
  [
    [0, 1, 3160].map((count) => words.formatCount(count, 'move')),
    ['0 moves', '1 move', '3,160 moves'],
  ],
  [words.formatCount(2, 'retry', 'retries'), '2 retries'],
  [
    ['2017-12-08', '2026-01-31'].map(words.formatDate),
    ['December 8, 2017', 'January 31, 2026'],
  ],
  [
    [0, 999, 1000, 9949].map((bytes) => words.formatBytes(bytes)),
    ['0 B', '999 B', '1.0 kB', '9.9 kB'],
  ],
  [
    [9950, 999_499, 999_500].map((bytes) => words.formatBytes(bytes, '_')),
    ['10_kB', '999_kB', '1.0_MB'],
  ],
])('formats words and numbers as %o', (got, expected) => {
  expect(got).toEqual(expected);
});

it('toSeconds rounds to milliseconds', () => {
  expect(words.toSeconds(1500.4567)).toBe(1.5);
  expect(words.toSeconds(0.5)).toBe(0.001);
});

it.each([
  ['Poké Ball — 攻擊 👍 <b>', 'Poké Ball — 攻擊 👍 <b>'],
  ['\u001b]0;red\u0007 \u009b2J\u007f', '\\u001b]0;red\\u0007 \\u009b2J\\u007f'],
  ['a\r\nb\tc\0', 'a\\u000d\\u000ab\\u0009c\\u0000'],
  ['a\u202Eb\u2066c\u061C', 'a\\u202eb\\u2066c\\u061c'],
  ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
])('escapeControls escapes %j', (text, expected) => {
  expect(words.escapeControls(text)).toBe(expected);
});

it.each([
  ['/srv/gamedata/site', '/srv/gamedata/site'],
  ['My Ünï site', "'My Ünï site'"],
  ["it's", "'it'\\''s'"],
])('quoteArgument quotes %s for a shell if necessary', (text, quoted) => {
  expect(words.quoteArgument(text)).toBe(quoted);
});
