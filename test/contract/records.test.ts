import { describe, expect, it } from 'vitest';
import { parse } from '../../src/contract/parse.ts';
import {
  iconSchema,
  nameSchema,
  recordSchemas,
  slugSchema,
} from '../../src/contract/records.ts';
import { dataSetOf, rawRecords } from '../support/sites.ts';

const { move: moveSchema, item: itemSchema } = recordSchemas;

const texts = [
  {
    name: 'slugSchema',
    schema: slugSchema,
    accepted: [
      ...[
        'pound',
        '10000000-volt-thunderbolt',
        'breakneck-blitz--physical',
        'a---b',
        'tm01',
        '7',
      ],
      ...['offset-1', 'offsets', 'com', 'com10', 'console', 'a'.repeat(200)],
    ],
    rejected: [
      ...[
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
        'a.json',
        '.hidden',
      ],
      ...['offset', 'con', 'prn', 'aux', 'nul', 'com1', 'lpt9', 'a'.repeat(201)],
      ...['a\0b', 'a b', 'a\n', 'a_b', 'a%2fb', 'poké', 'ａ', '١'],
    ],
  },
  {
    name: 'nameSchema',
    schema: nameSchema,
    accepted: [
      ...[
        'Pound',
        'Poké Ball',
        "King's Rock",
        '<b>&"\\</b>',
        '10,000,000 Volt',
        'X 攻擊',
        '👍🏽',
      ],
      ...['a\u200Db', ' ', 'é'.repeat(200)],
    ],
    // These names are empty or too long, or contain control characters,
    // bidirectional characters, line breaks or half of a surrogate pair.
    rejected: [
      ...[
        '',
        'a\nb',
        '\u001b[31mred',
        'a\0',
        'a\u007f',
        'a\u0085b',
        'a\u202Eb',
        'a\u2066b',
        'a\u061Cb',
      ],
      ...['a\u2028b', 'a\u2029b', 'a\uD800b', 'é'.repeat(201)],
    ],
  },
  {
    name: 'iconSchema',
    schema: iconSchema,
    accepted: [
      'unknown.png',
      'master-ball.png',
      'gen9/poke_ball.webp',
      'a.b.png',
    ].map((file) => `sprites/items/${file}`),
    rejected: [
      ...[
        '',
        '/sprites/items/x.png',
        'x/sprites/items/x.png',
        'https://elsewhere.test/sprites/items/x.png',
      ],
      ...[
        '',
        '.png',
        '../x.png',
        'a/../../x.png',
        'a..png',
        '/x.png',
        'x.svg',
        'x.png?a=b',
        'x y.png',
      ].map((file) => `sprites/items/${file}`),
      ...['a\\b.png', 'x.png\n', `${'x'.repeat(300)}.png`].map(
        (file) => `sprites/items/${file}`,
      ),
    ],
  },
];

it.each(texts)(
  '$name accepts only valid values',
  ({ schema, accepted, rejected }) => {
    const fits = (text: string): boolean => schema.safeParse(text).success;
    expect(accepted.filter((text) => !fits(text))).toEqual([]);
    expect(rejected.filter(fits)).toEqual([]);
  },
);

describe('recordSchemas', () => {
  const { records } = dataSetOf(rawRecords(1, 1));
  const [move, item] = [records.move[0], records.item[0]];

  it('accepts a record of each kind', () => {
    expect(moveSchema.parse(move)).toEqual(move);
    const indexed = { ...item, id1: 1, id3: 0, id9: 9 };
    expect(itemSchema.parse(indexed)).toEqual(indexed);
  });

  it.each<[string, typeof moveSchema | typeof itemSchema, object, string]>([
    [
      'a missing field',
      moveSchema,
      { ...move, name: undefined },
      'name: got nothing',
    ],
    ['a retyped field', moveSchema, { ...move, id: '1' }, 'id: got "1"'],
    ['id 0', moveSchema, { ...move, id: 0 }, 'id: got 0'],
    ['generation 0', moveSchema, { ...move, generation: 0 }, 'generation: got 0'],
    ['an unsafe slug', moveSchema, { ...move, slug: '../x' }, 'slug: got "../x"'],
    ['a negative index', itemSchema, { ...item, id4: -1 }, 'id4: got -1'],
    ['a missing index', itemSchema, { ...item, id4: undefined }, 'id4: got nothing'],
    [
      'an unknown field',
      moveSchema,
      { ...move, power: 40 },
      'Unrecognized key: "power"',
    ],
  ])('rejects a record with %s', (_, schema, value, problem) => {
    expect(() => parse(schema, value, {})).toThrow(problem);
  });
});
