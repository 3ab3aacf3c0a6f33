import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joined } from '../../src/text/joined.ts';
import { createLineSplitter } from '../../src/text/split-lines.ts';

it.each([0, 1, 999, 1000, 1001, 2500])('joins a thousand texts at a time: %i', (count) => {
  const texts = Array.from({ length: count }, (_, at) => `${at}\n`);
  const pieces = [...joined(texts)];
  expect(pieces.join('')).toBe(texts.join(''));
  for (const piece of pieces) expect(piece.split('\n').length).toBeLessThanOrEqual(1001);
  expect(pieces.length).toBe(Math.floor(count / 1000) + 1);
});

/** The lines of a text that comes in pieces of some sizes, whose memory is used again. */
function linesOf(text: string, sizes: readonly number[]): string[] {
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  let from = 0;
  for (let turn = 0; from < bytes.length; turn++) {
    const piece = Buffer.from(bytes.subarray(from, from + (sizes[turn % sizes.length] ?? 1)));
    splitter.add(piece);
    from += piece.length;
    piece.fill('.');
  }
  splitter.end();
  return lines;
}

it('splits lines wherever the pieces end, characters of several bytes too', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '🙂', '\n'), maxLength: 9 })),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (texts, sizes) => {
        const text = texts.join('');
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(text, sizes)).toEqual(expected);
      },
    ),
  );
});
