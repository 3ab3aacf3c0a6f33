import { expect, it } from 'vitest';
import * as words from '../../src/contract/words.ts';

it.each([
  ['poke-ball', 'Poke Ball'],
  ['dna-splicers--merge', 'Dna Splicers Merge'],
  ['', ''],
])('toTitleCase(%j) returns %j', (slug, title) => {
  expect(words.toTitleCase(slug)).toBe(title);
});

it.each([
  ['move', 'a move'],
  ['item', 'an item'],
])('addArticle(%j) returns %j', (noun, text) => {
  expect(words.addArticle(noun)).toBe(text);
});

it.each([
  ['move', 'moves'],
  ['retry', 'retries'],
])('pluralize(%j) returns %j', (noun, plural) => {
  expect(words.pluralize(noun)).toBe(plural);
});

it('formatKindTitle returns a capitalized plural', () => {
  expect(words.formatKindTitle('move')).toBe('Moves');
});

it.each([
  { names: ['a', 'b'], limit: 2, text: 'a, b' },
  { names: ['a', 'b', 'c', 'd'], limit: 2, text: 'a, b and 2 more' },
  { names: [], limit: undefined, text: '' },
  {
    names: [...'abcdefghijk'],
    limit: undefined,
    text: 'a, b, c, d, e, f, g, h, i, j and 1 more',
  },
])('listFirst($names, $limit) returns "$text"', ({ names, limit, text }) => {
  expect(words.listFirst(names, limit)).toBe(text);
});

it.each([
  { names: ['a'], conjunction: undefined, text: 'a' },
  { names: ['a', 'b'], conjunction: undefined, text: 'a and b' },
  { names: ['a', 'b', 'c'], conjunction: undefined, text: 'a, b and c' },
  { names: ['a', 'b', 'c'], conjunction: 'or', text: 'a, b or c' },
] as const)(
  'joinWords($names, $conjunction) returns "$text"',
  ({ names, conjunction, text }) => {
    expect(words.joinWords(names, conjunction)).toBe(text);
  },
);

it.each([
  [999, '999'],
  [3160, '3,160'],
])('groupDigits(%i) returns %j', (number, text) => {
  expect(words.groupDigits(number)).toBe(text);
});

it.each([
  { count: 0, noun: 'move', plural: undefined, text: '0 moves' },
  { count: 1, noun: 'move', plural: undefined, text: '1 move' },
  { count: 3160, noun: 'move', plural: undefined, text: '3,160 moves' },
])('formatCount formats "$text"', ({ count, noun, plural, text }) => {
  expect(words.formatCount(count, noun, plural)).toBe(text);
});

it.each([['2017-12-08', 'December 8, 2017']])(
  'formatDate(%j) returns %j',
  (date, text) => {
    expect(words.formatDate(date)).toBe(text);
  },
);

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9950, '10 kB'],
  [999_500, '1.0 MB'],
])('formatBytes(%i) returns %j', (bytes, text) => {
  expect(words.formatBytes(bytes)).toBe(text);
});

it('formatBytes uses the given space', () => {
  expect(words.formatBytes(9950, '_')).toBe('10_kB');
});

it('toSeconds rounds to milliseconds', () => {
  expect(words.toSeconds(1500.4567)).toBe(1.5);
  expect(words.toSeconds(0.5)).toBe(0.001);
});

it.each([
  ['Poké Ball — 攻擊 👍 <b>', 'Poké Ball — 攻擊 👍 <b>'],
  ['\u001b]0;red\u0007 \u009b2J\u007f', '\\u001b]0;red\\u0007 \\u009b2J\\u007f'],
  ['a\u202Eb\u2066c\u061C', 'a\\u202eb\\u2066c\\u061c'],
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
