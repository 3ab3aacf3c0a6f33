import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createMapSchema, formatValue, parse, parseJson } from '../../src/contract/parse.ts';
import { DataError } from '../../src/errors.ts';

const schema = z.object({ names: z.array(z.object({ language: z.string() })), id: z.int() });

/** An array in an array, so often. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe('parse', () => {
  it('returns what fits, without unknown keys', () => {
    const value = { names: [{ language: 'en' }], id: 1 };
    expect(parse(schema, { ...value, more: 1 }, {})).toEqual(value);
  });

  it.each<[string, unknown, string]>([
    [
      'a field of an element',
      { names: [{ language: 5 }], id: 1 },
      'move › x › names[0].language: got 5: expected string',
    ],
    ['a field that is missing', { names: [] }, 'move › x › id: got nothing: expected number'],
    ['a field of null', null, 'move › x: got null: expected object'],
    ['a text instead of an object', 'text', 'move › x: got "text": expected object'],
    ['the first of several', { names: 1, id: 'a' }, 'move › x › names: got 1: expected array'],
  ])('throws an error that locates %s', (_, value, message) => {
    expect(() => parse(schema, value, { kind: 'move', record: 'x' })).toThrow(DataError);
    expect(() => parse(schema, value, { kind: 'move', record: 'x' })).toThrow(
      new RegExp(`^${escaped(message)}`),
    );
  });

  it('names no field where the value itself does not fit', () => {
    const refused = z.unknown().refine(() => false, 'Not so: Invalid input: twice');
    const failure = (value: unknown) => () => parse(refused, value, {});
    expect(failure(undefined)).toThrow(/^got nothing: Not so: Invalid input: twice$/);
    expect(failure([])).toThrow(expect.not.objectContaining({ location: { field: '' } }));
  });

  it('shows nothing for what a refinement missed inside a text, or inside null', () => {
    const inside = z.unknown().superRefine((_, context) => {
      context.addIssue({ code: 'custom', message: 'missing', path: ['length', 0] });
    });
    for (const value of ['text', null, undefined, { length: 'text' }])
      expect(() => parse(inside, value, {})).toThrow(/^length\[0\]: got nothing: missing$/);
  });
});

it('stops at the first problem of a list with more of them than a call has arguments', () => {
  const list = z.object({ names: z.array(z.int()) });
  const names = Array.from({ length: 300_000 }, () => []);
  expect(() => parse(list, { names }, {})).toThrow('names[0]: got []: expected number, received array');
  expect(() => parse(z.strictObject({}), Object.fromEntries(names.entries()), {})).toThrow(
    /…: Unrecognized keys: .{181}…$/,
  );
});

describe('createMapSchema', () => {
  const record = z.object({
    ids: createMapSchema(z.string().regex(/^[a-z\d]+$/, 'expected a slug'), z.int()),
  });

  it('returns every entry', () => {
    expect(parse(record, { ids: { a: 1, b: 2 } }, {})).toEqual({ ids: { a: 1, b: 2 } });
  });

  it.each([
    [{ a: 1, B: 2, c: [] }, 'ids.B: got 2: expected a slug'],
    [{ a: 1, b: [2] }, 'ids.b: got [2]: expected number, received array'],
    [
      Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`a${at}`, []])),
      'ids.a0: got []: expected',
    ],
    [[1], 'ids: got [1]: expected an object'],
    [null, 'ids: got null: expected an object'],
  ])('rejects %#', (ids, problem) => {
    expect(() => parse(record, { ids }, {})).toThrow(problem);
  });
});

const escaped = (text: string): string => text.replace(/[[\].]/g, '\\$&');

describe('formatValue', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(79)}…`],
  ])('writes JSON of at most 80 characters', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('shows what it can of a value that not every version of Node can stringify', () => {
    expect(formatValue(nested(50_000))).toMatch(/^(?:a value nested too deeply to show|\[{80}…)$/);
  });
});

describe('parseJson', () => {
  it('returns nothing for what is not JSON', () => {
    expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseJson('{')).toBeUndefined();
  });
});
