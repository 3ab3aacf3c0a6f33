import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as contract from '../../src/contract/parse.ts';

const { createMapSchema, formatValue, parse, parseJsonOrThrow } = contract;

const schema = z.object({
  names: z.array(z.object({ language: z.string() })),
  id: z.int(),
});

describe('parse', () => {
  it('drops keys that the schema does not define', () => {
    const value = { names: [{ language: 'en' }], id: 1 };
    expect(parse(schema, { ...value, more: 1 }, {})).toEqual(value);
  });

  it.each<[string, unknown, string]>([
    [
      'a field of an element',
      { names: [{ language: 5 }] },
      ' › names[0].language: got 5, expected string',
    ],
    ['a missing field', { names: [] }, ' › id: got nothing, expected number'],
    ['a string instead of an object', 'text', ': got "text", expected object'],
    [
      'the first of several invalid fields',
      { names: 1, id: 'a' },
      ' › names: got 1, expected array',
    ],
  ])('throws an error that locates %s', (_, value, problem) => {
    const location = { kind: 'move', record: 'x' } as const;
    const message = `move › x${problem}`;
    expect(() => parse(schema, value, location)).toThrow(
      expect.objectContaining({ code: 'data', message }),
    );
  });

  it("removes the schema library's prefix only at the start of a message", () => {
    const refused = z.unknown().refine(() => false, 'Not so: Invalid input: twice');
    expect(() => parse(refused, undefined, {})).toThrow(
      /^got nothing: Not so: Invalid input: twice$/,
    );
  });

  it.each(['text', undefined])(
    'reports "nothing" if the path of the problem does not exist in the value %j',
    (value) => {
      const inside = z.unknown().superRefine((_, context) => {
        context.addIssue({
          code: 'custom',
          message: 'missing',
          path: ['length', 0],
        });
      });
      expect(() => parse(inside, value, {})).toThrow(
        /^length\[0\]: got nothing: missing$/,
      );
    },
  );
});

it('shortens a long list of unknown keys', () => {
  const value = Object.fromEntries(Array(1000).fill(1).entries());
  expect(() => parse(z.strictObject({}), value, {})).toThrow(
    /…: Unrecognized keys: .{181}…$/,
  );
});

describe('createMapSchema', () => {
  const slug = z.string().regex(/^[a-z\d]+$/, 'expected a slug');
  const record = z.object({ ids: createMapSchema(slug, z.int()) });

  it('accepts a map in which every entry is valid', () => {
    const value = { ids: { a: 1, b: 2 } };
    expect(parse(record, value, {})).toEqual(value);
  });

  it.each([
    [{ a: 1, B: 2, c: [] }, 'ids.B: got 2, expected a slug'],
    [{ a: 1, b: [2] }, 'ids.b: got [2], expected number'],
    [[1], 'ids: got [1], expected an object'],
    [null, 'ids: got null, expected an object'],
  ])('rejects the invalid map %j', (ids, problem) => {
    expect(() => parse(record, { ids }, {})).toThrow(problem);
  });
});

describe('formatValue', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(79)}…`],
  ])('shortens the JSON of a value to 80 characters', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('formats a deeply nested value without failing', () => {
    let nested: unknown = [];
    for (let level = 0; level < 50_000; level++) nested = [nested];
    // Whether it can be formatted depends on the Node version.
    expect(formatValue(nested)).toMatch(
      /^(?:a value nested too deeply to show|\[{80}…)$/,
    );
  });
});

it('parseJson returns undefined for text that is not JSON', () => {
  expect(contract.parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(contract.parseJson('{')).toBeUndefined();
});

describe('parseJsonOrThrow', () => {
  it.each(['{"a":1,}', ''])('reports the problem in %j', (json) => {
    expect(() => parseJsonOrThrow(json)).toThrow(/^got invalid JSON: ./);
  });

  it('rejects bytes that are not UTF-8', () => {
    expect(() => parseJsonOrThrow(Buffer.from('"é"', 'latin1'))).toThrow(
      'got another encoding, expected UTF-8',
    );
  });

  it('skips a byte order mark', () => {
    expect(parseJsonOrThrow(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  });
});

it('formatPlace shortens each part, because the upstream may send any slug', () => {
  const place = contract.formatPlace({ kind: 'item', record: 'x'.repeat(1000) });
  expect(place).toBe(`item › ${'x'.repeat(200)}…: `);
});
