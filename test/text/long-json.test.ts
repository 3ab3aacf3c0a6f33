import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseLongJson } from '../../src/text/long-json.ts';

/** Yields a text's bytes in pieces of some sizes, whose memory is used again. */
function* piecesOf(text: string, sizes: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const piece = Buffer.from(bytes.subarray(from, from + size));
    yield piece;
    piece.fill('.');
    from += size;
  }
}

const parse = (text: string, sizes: readonly number[] = [7]) =>
  parseLongJson(() => piecesOf(text, sizes), 'files');

const strings = fc.string({
  unit: fc.constantFrom('a', 'é', '🙂', '"', '}', ',', '{', '[', ']', '\\', 'files'),
});
const values = fc.oneof(
  strings,
  fc.integer(),
  fc.constant(null),
  fc.array(strings),
  fc.dictionary(strings, strings),
);
const objects = fc.dictionary(fc.oneof(strings, fc.constant('files')), values);

it('finds what JSON.parse finds, however the bytes are split', () => {
  fc.assert(
    fc.property(
      objects,
      fc.array(fc.oneof(objects, fc.record({ path: strings, parts: fc.array(objects) }))),
      objects,
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      fc.constantFrom(undefined, 1),
      (before, files, after, sizes, indent) => {
        const text = JSON.stringify({ ...before, files, ...after }, null, indent);
        expect(parse(text, sizes)).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 2000 },
  );
});

it.each([
  '{"files":[]}',
  '{"format":1,"files":[]}',
  '{"files":[{"a":1},{"a":2}],"format":1}',
  '{"format":1,"files":[{"a":1}]}\n',
  '{"format":1,"files":[{"a":1},{"a":2},{"a":3}],"more":[{"a":1},{"b":2}]}',
  '{"inside":{"files":[{"a":1},{"a":2}]},"files":[{"a":3}]}',
  '{"inside":{"files":[{"a":1},{"a":2}]}}',
  '{"format":1,"files":[{"a":1},{"a":2}],"files":[{"a":3}]}',
  '{"format":1,"files":[{"a":1},{"a":2}],"files":{"a":3}}',
  '{"files":[1,2,3]}',
  '{"files":{"a":1}}',
  '[{"a":1},{"b":2}]',
  '"files"',
  'null',
])('reads %s', (text) => {
  for (const size of [1, 5, 100]) expect(parse(text, [size])).toEqual(JSON.parse(text));
});

it.each([
  '',
  '{"format":1,"files":[',
  '{"format":1,"files":[{"a":1},{"a":2}',
  '{"format":1,"files":[{"a":1},{"a":2}]]',
  '{"format":1,"files":[{"a":1},{"a"},{"a":3}]}',
])('rejects %s as JSON.parse does', (text) => {
  for (const size of [1, 5, 100]) expect(() => parse(text, [size])).toThrow(SyntaxError);
});

it('reads compact JSON once', () => {
  const text = JSON.stringify({ format: 1, files: [{ a: 1 }, { a: 2 }, { a: 3 }], more: 1 });
  let reads = 0;
  parseLongJson(() => {
    reads++;
    return piecesOf(text, [30]);
  }, 'files');
  expect(reads).toBe(1);
});
