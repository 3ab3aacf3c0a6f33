import { describe, expect, it } from 'vitest';
import { kindNames, mapKinds } from '../../src/contract/kinds.ts';
import { parse } from '../../src/contract/parse.ts';
import { iconSchema, nameSchema, recordSchemas, slugSchema } from '../../src/contract/records.ts';
import { DataError } from '../../src/errors.ts';

const { move: moveSchema, item: itemSchema } = recordSchemas;

describe('a slug', () => {
  it.each([
    'pound',
    '10000000-volt-thunderbolt',
    'breakneck-blitz--physical',
    'a---b',
    'tm01',
    '7',
    'offset-1',
    'offsets',
    'com',
    'com10',
    'console',
    'a'.repeat(200),
  ])('may be %j', (slug) => {
    expect(slugSchema.safeParse(slug).success).toBe(true);
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '/a',
    '-a',
    'a-',
    '-',
    'A',
    'Pound',
    'offset',
    'con',
    'prn',
    'aux',
    'nul',
    'com1',
    'lpt9',
    'a'.repeat(201),
    'a\0b',
    'a.json',
    '.hidden',
    'a b',
    'a\n',
    'a_b',
    'a%2fb',
    'poké',
    'ａ',
    '١',
  ])('is never %j', (slug) => {
    expect(slugSchema.safeParse(slug).success).toBe(false);
  });
});

describe('a name', () => {
  it.each([
    'Pound',
    'Poké Ball',
    "King's Rock",
    '<b>&"\\</b>',
    '10,000,000 Volt',
    'X 攻擊',
    '👍🏽',
    'a\u200Db',
    ' ',
  ])('may be %j', (name) => {
    expect(nameSchema.safeParse(name).success).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a line feed', 'a\nb'],
    ['an escape', '\u001b[31mred'],
    ['NUL', 'a\0'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085b'],
    ['a bidirectional override', 'a\u202Eb'],
    ['a bidirectional isolate', 'a\u2066b'],
    ['an Arabic letter mark', 'a\u061Cb'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['half a character', 'a\uD800b'],
  ])('never holds %s', (_, name) => {
    expect(nameSchema.safeParse(name).success).toBe(false);
  });
});

describe('an icon', () => {
  it.each([
    'sprites/items/unknown.png',
    'sprites/items/master-ball.png',
    'sprites/items/gen9/poke_ball.webp',
    'sprites/items/a.b.png',
  ])('may be %j', (icon) => {
    expect(iconSchema.safeParse(icon).success).toBe(true);
  });

  it.each([
    '',
    'sprites/items/',
    'sprites/items/.png',
    'sprites/items/../x.png',
    'sprites/items/a/../../x.png',
    'sprites/items/a..png',
    'sprites/items//x.png',
    '/sprites/items/x.png',
    'x/sprites/items/x.png',
    'https://elsewhere.test/sprites/items/x.png',
    'sprites/items/x.svg',
    'sprites/items/x.png?a=b',
    'sprites/items/x y.png',
    'sprites/items/a\\b.png',
    'sprites/items/x.png\n',
    `sprites/items/${'x'.repeat(300)}.png`,
  ])('is never %j', (icon) => {
    expect(iconSchema.safeParse(icon).success).toBe(false);
  });
});

describe('a record', () => {
  const move = { id: 1, slug: 'pound', name: 'Pound', generation: 1 };
  const indices = {
    id1: 1,
    id2: null,
    id3: 0,
    id4: null,
    id5: null,
    id6: null,
    id7: null,
    id8: null,
    id9: 9,
  };
  const item = { id: 1, ...indices, slug: 'a', name: 'A', icon: 'sprites/items/a.png' };

  it('has its keys in the contract’s order', () => {
    expect(Object.keys(recordSchemas.move.shape)).toEqual(['id', 'slug', 'name', 'generation']);
    expect(Object.keys(recordSchemas.item.shape)).toEqual([
      ...['id', 'id1', 'id2', 'id3', 'id4', 'id5', 'id6', 'id7', 'id8', 'id9'],
      ...['slug', 'name', 'icon'],
    ]);
  });

  it('of each kind is accepted as it should be', () => {
    expect(moveSchema.parse(move)).toEqual(move);
    expect(itemSchema.parse(item)).toEqual(item);
  });

  it.each<[string, object, object, string, string]>([
    ['a missing field', moveSchema, { ...move, name: undefined }, 'name', 'got nothing'],
    ['a retyped field', moveSchema, { ...move, id: '1' }, 'id', 'got "1"'],
    ['a fraction', moveSchema, { ...move, generation: 1.5 }, 'generation', 'got 1.5'],
    ['id 0', moveSchema, { ...move, id: 0 }, 'id', 'got 0'],
    ['generation 0', moveSchema, { ...move, generation: 0 }, 'generation', 'got 0'],
    ['an unsafe slug', moveSchema, { ...move, slug: '../x' }, 'slug', 'got "../x"'],
    ['a negative index', itemSchema, { ...item, id4: -1 }, 'id4', 'got -1'],
    ['an index left out', itemSchema, { ...item, id4: undefined }, 'id4', 'got nothing'],
  ])('with %s is rejected with the place', (_, schema, value, field, got) => {
    const fit = () => parse(schema as typeof moveSchema, value, { kind: 'move', record: 'x (1)' });
    expect(fit).toThrow(DataError);
    expect(fit).toThrow(`move › x (1) › ${field}: ${got}`);
  });

  it('with a field too many is rejected', () => {
    expect(() => parse(moveSchema, { ...move, power: 40 }, { kind: 'move' })).toThrow('power');
  });

  it('has a name of 200 characters at most', () => {
    const named = (length: number) => itemSchema.safeParse({ ...item, name: 'é'.repeat(length) }).success;
    expect([named(200), named(201)]).toEqual([true, false]);
  });

  it('is named by the path inside a response, and shown cut short', () => {
    const nested = itemSchema.array();
    expect(() => parse(nested, [{ ...item, name: 'x\n'.repeat(100) }], {})).toThrow(
      /^\[0\]\.name: got "(?:x\\n)+x?\\?…: expected text/,
    );
  });
});

describe('kinds', () => {
  it('are moves, then items', () => {
    expect(kindNames).toEqual(['move', 'item']);
    expect(JSON.stringify(mapKinds((kind) => kind.length))).toBe('{"move":4,"item":4}');
  });
});
