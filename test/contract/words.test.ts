import { describe, expect, it } from 'vitest';
import {
  counted,
  firstOf,
  groupDigits,
  listed,
  pluralTitle,
  printable,
  readableSize,
  secondsSince,
  titleOf,
} from '../../src/contract/words.ts';

describe('words for people', () => {
  it('are the same on every machine', () => {
    expect(titleOf('poke-ball')).toBe('Poke Ball');
    expect(titleOf('dna-splicers--merge')).toBe('Dna Splicers Merge');
    expect(titleOf('')).toBe('');
    expect(pluralTitle('move')).toBe('Moves');
    expect(firstOf(['a', 'b'], 2)).toBe('a, b');
    expect(firstOf(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
    expect(firstOf([...'abcdefghijk'])).toBe('a, b, c, d, e, f, g, h, i, j and 1 more');
    expect(firstOf([])).toBe('');
    expect(listed([counted(937, 'move'), counted(2223, 'item')])).toBe('937 moves and 2,223 items');
    expect(['a', 'a b', 'a b c'].map((names) => listed(names.split(' ')))).toEqual([
      'a',
      'a and b',
      'a, b and c',
    ]);
    expect([999, 3160, 1_234_567].map(groupDigits)).toEqual(['999', '3,160', '1,234,567']);
    expect([0, 1, 3160].map((count) => counted(count, 'move'))).toEqual(['0 moves', '1 move', '3,160 moves']);
    expect(counted(2, 'retry', 'retries')).toBe('2 retries');
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [9950, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [2_549_000, '2.5 MB'],
  ])('say a size of %i bytes', (bytes, expected) => {
    expect(readableSize(bytes)).toBe(expected);
    expect(readableSize(bytes, '\u00a0')).toBe(expected.replace(' ', '\u00a0'));
  });

  it('count seconds to the millisecond', () => {
    const seconds = secondsSince(performance.now() - 1500);
    expect(seconds).toBeGreaterThanOrEqual(1.5);
    expect(seconds).toBe(Number(seconds.toFixed(3)));
  });

  it.each([
    ['Poké Ball — 攻擊 👍 <b>', 'Poké Ball — 攻擊 👍 <b>'],
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\r\nb\tc\0', 'a\\u000d\\u000ab\\u0009c\\u0000'],
    ['\u009b2J\u007f', '\\u009b2J\\u007f'],
    ['a\u202Eb\u2066c\u061C', 'a\\u202eb\\u2066c\\u061c'],
    ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ])('from outside cannot disturb a terminal: %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
