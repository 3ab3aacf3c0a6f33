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
    ['a text instead of an object', 'text', ': got "text", expected object'],
    [
      'the first of several invalid fields',
      { names: 1, id: 'a' },
      ' › names: got 1, expected array',
    ],
  ])('throws an error that locates %s', (_, value, problem) => {
    const error = expect.objectContaining({
      code: 'data',
      message: `move › x${problem}`,
    });
    expect(() => parse(schema, value, { kind: 'move', record: 'x' })).toThrow(error);
  });

  it('reports no field if the whole value is invalid', () => {
    const refused = z.unknown().refine(() => false, 'not so');
    const failure = () => parse(refused, [], {});
    expect(failure).toThrow(
      expect.not.objectContaining({ location: { field: '' } }),
    );
  });

  it("removes only the first prefix from the schema library's message", () => {
    const refused = z.unknown().refine(() => false, 'Not so: Invalid input: twice');
    const failure = () => parse(refused, undefined, {});
    expect(failure).toThrow(/^got nothing: Not so: Invalid input: twice$/);
  });

  it.each(['text', null, undefined, { length: 'text' }])(
    'reports "nothing" if the path of the problem leads nowhere in %j',
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

it('parse stops at the first problem in a list with hundreds of thousands of elements', () => {
  const list = z.object({ names: z.array(z.int()) });
  const names = Array.from({ length: 300_000 }, () => []);
  expect(() => parse(list, { names }, {})).toThrow(
    'names[0]: got [], expected number',
  );
  expect(() =>
    parse(z.strictObject({}), Object.fromEntries(names.entries()), {}),
  ).toThrow(/…: Unrecognized keys: .{181}…$/);
});

describe('createMapSchema', () => {
  const record = z.object({
    ids: createMapSchema(z.string().regex(/^[a-z\d]+$/, 'expected a slug'), z.int()),
  });

  it('accepts a map in which every entry is valid', () => {
    expect(parse(record, { ids: { a: 1, b: 2 } }, {})).toEqual({
      ids: { a: 1, b: 2 },
    });
  });

  it.each([
    [{ a: 1, B: 2, c: [] }, 'ids.B: got 2, expected a slug'],
    [{ a: 1, b: [2] }, 'ids.b: got [2], expected number'],
    [
      Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`a${at}`, []])),
      'ids.a0: got [], expected',
    ],
    [[1], 'ids: got [1], expected an object'],
    [null, 'ids: got null, expected an object'],
  ])('rejects the invalid map %#', (ids, problem) => {
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
    // Whether it can be formatted depends on the version of Node.
    expect(formatValue(nested)).toMatch(
      /^(?:a value nested too deeply to show|\[{80}…)$/,
    );
  });
});

it('parseJson and parseOptional return undefined for invalid input', () => {
  expect(['{"a":[1]}', '{'].map(contract.parseJson)).toEqual([
    { a: [1] },
    undefined,
  ]);
  expect([1, 'a'].map((value) => contract.parseOptional(z.int(), value))).toEqual([
    1,
    undefined,
  ]);
});

describe('parseJsonOrThrow', () => {
  it.each<[json: string | Buffer, problem: string]>([
    ['{"a":1,}', String.raw`got "{\"a\":1,}" in line 1, column 8`],
    ['{\n "a": }', String.raw`got "{\n \"a\": }" in line 2, column 7`],
    ['[1,', 'got "[1," in line 1, column 4'],
    ['{}{}', 'got "{}{}" in line 1, column 3'],
    [
      `[${'1,'.repeat(99)}x${',1'.repeat(99)}]`,
      `got "…${'1,'.repeat(15)}x${',1'.repeat(14)},…" in line 1, column 200`,
    ],
    ['', 'got nothing'],
    [Buffer.from('fffe7b007d00', 'hex'), 'got UTF-16, expected UTF-8'],
    [Buffer.from('"é"', 'latin1'), 'got another encoding, expected UTF-8'],
  ])('quotes the text around the problem in %j', (json, problem) => {
    const message = problem.endsWith('UTF-8')
      ? problem
      : `${problem}, expected JSON`;
    expect(() => parseJsonOrThrow(json)).toThrow(
      new SyntaxError(message, { cause: expect.any(Error) }),
    );
  });

  it('skips a byte order mark', () => {
    expect(parseJsonOrThrow(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  });
});
