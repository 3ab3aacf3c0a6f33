import { describe, expect, it } from 'vitest';
import {
  escapeControls,
  formatBytes,
  formatCount,
  formatKindTitle,
  groupDigits,
  joinWords,
  listFirst,
  measureSeconds,
  toTitleCase,
} from '../../src/contract/words.ts';

describe('words for people', () => {
  it.each<[unknown, unknown]>([
    [['poke-ball', 'dna-splicers--merge', ''].map(toTitleCase), ['Poke Ball', 'Dna Splicers Merge', '']],
    [formatKindTitle('move'), 'Moves'],
    [
      [listFirst(['a', 'b'], 2), listFirst([...'abcd'], 2), listFirst([])],
      ['a, b', 'a, b and 2 more', ''],
    ],
    [listFirst([...'abcdefghijk']), 'a, b, c, d, e, f, g, h, i, j and 1 more'],
    [[['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinWords), ['a', 'a and b', 'a, b and c']],
    [[999, 3160, 1_234_567].map(groupDigits), ['999', '3,160', '1,234,567']],
    [[0, 1, 3160].map((count) => formatCount(count, 'move')), ['0 moves', '1 move', '3,160 moves']],
    [formatCount(2, 'retry', 'retries'), '2 retries'],
    [[0, 999, 1000, 9949].map((bytes) => formatBytes(bytes)), ['0 B', '999 B', '1.0 kB', '9.9 kB']],
    [[9950, 999_499, 999_500].map((bytes) => formatBytes(bytes, '_')), ['10_kB', '999_kB', '1.0_MB']],
  ])('are %o', (got, expected) => {
    expect(got).toEqual(expected);
  });

  it('count seconds to the millisecond', () => {
    const seconds = measureSeconds(performance.now() - 1500);
    expect(seconds).toBeGreaterThanOrEqual(1.5);
    expect(seconds).toBe(Number(seconds.toFixed(3)));
  });

  it.each([
    ['Poké Ball — 攻擊 👍 <b>', 'Poké Ball — 攻擊 👍 <b>'],
    ['\u001b]0;red\u0007 \u009b2J\u007f', '\\u001b]0;red\\u0007 \\u009b2J\\u007f'],
    ['a\r\nb\tc\0', 'a\\u000d\\u000ab\\u0009c\\u0000'],
    ['a\u202Eb\u2066c\u061C', 'a\\u202eb\\u2066c\\u061c'],
    ['a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ])('escape characters that disturb a terminal: %j', (text, expected) => {
    expect(escapeControls(text)).toBe(expected);
  });
});
