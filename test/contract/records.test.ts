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

/** In characters. Slugs and names have the same limit. */
const LONGEST_TEXT = 200;

const slugs = {
  accepted: [
    'pound',
    '10000000-volt-thunderbolt',
    'breakneck-blitz--physical',
    '7',
    'offsets',
    'console',
    'a'.repeat(LONGEST_TEXT),
  ],
  rejected: [
    '',
    '../x',
    '-a',
    'a-',
    'Pound',
    'a.json',
    // The folder of the list pages.
    'offset',
    // Windows reserves these names.
    'con',
    'lpt9',
    'a'.repeat(LONGEST_TEXT + 1),
    'a\n',
    'poké',
  ],
};

const names = {
  accepted: [
    'Pound',
    'Poké Ball',
    '<b>&"\\</b>',
    'X 攻擊',
    'a\u200Db',
    ' ',
    'é'.repeat(LONGEST_TEXT),
  ],
  rejected: [
    '',
    'é'.repeat(LONGEST_TEXT + 1),
    // Control characters and line breaks.
    'a\nb',
    '\u001b[31mred',
    'a\u2028b',
    // Bidirectional characters.
    'a\u202Eb',
    // Half of a surrogate pair.
    'a\uD800b',
  ],
};

const icons = {
  accepted: [
    'sprites/items/unknown.png',
    'sprites/items/master-ball.png',
    'sprites/items/gen9/poke_ball.webp',
    'sprites/items/a.b.png',
  ],
  rejected: [
    '',
    'https://elsewhere.test/sprites/items/x.png',
    'sprites/items/',
    'sprites/items/../x.png',
    'sprites/items/x.svg',
    'sprites/items/x.png?a=b',
    'sprites/items/x.png\n',
    `sprites/items/${'x'.repeat(300)}.png`,
  ],
};

describe.each([
  { name: 'slugSchema', schema: slugSchema, texts: slugs },
  { name: 'nameSchema', schema: nameSchema, texts: names },
  { name: 'iconSchema', schema: iconSchema, texts: icons },
])('$name', ({ schema, texts }) => {
  it.each(texts.accepted)('accepts the valid text %j', (text) => {
    expect(schema.safeParse(text).success).toBe(true);
  });

  it.each(texts.rejected)('rejects the invalid text %j', (text) => {
    expect(schema.safeParse(text).success).toBe(false);
  });
});

describe('recordSchemas', () => {
  const { records } = dataSetOf(rawRecords(1, 1));
  const move = records.move[0];
  const item = records.item[0];

  it('accepts a valid move', () => {
    expect(moveSchema.parse(move)).toEqual(move);
  });

  it('accepts an item with index numbers', () => {
    const indexedItem = { ...item, id1: 1, id3: 0, id9: 9 };
    expect(itemSchema.parse(indexedItem)).toEqual(indexedItem);
  });

  type RecordSchema = typeof moveSchema | typeof itemSchema;

  it.each<[damage: string, RecordSchema, record: object, problem: string]>([
    [
      'a missing field',
      moveSchema,
      { ...move, name: undefined },
      'name: got nothing',
    ],
    ['a field of the wrong type', moveSchema, { ...move, id: '1' }, 'id: got "1"'],
    ['id 0', moveSchema, { ...move, id: 0 }, 'id: got 0'],
    ['generation 0', moveSchema, { ...move, generation: 0 }, 'generation: got 0'],
    ['an unsafe slug', moveSchema, { ...move, slug: '../x' }, 'slug: got "../x"'],
    ['a negative index number', itemSchema, { ...item, id4: -1 }, 'id4: got -1'],
    [
      'a missing index number',
      itemSchema,
      { ...item, id4: undefined },
      'id4: got nothing',
    ],
    [
      'an unknown field',
      moveSchema,
      { ...move, 'unknown-field': 40 },
      'Unrecognized key: "unknown-field"',
    ],
  ])('rejects a record with %s', (_, schema, record, problem) => {
    expect(() => parse(schema, record, {})).toThrow(problem);
  });
});
