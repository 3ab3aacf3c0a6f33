import { describe, expect, it } from 'vitest';
import * as record from '../../../src/web/browse/record.ts';

const item = {
  url: 'https://example.test/api/gamedata/item/potion/?format=api',
  id: 17,
  id1: 20,
  id2: null,
  slug: 'potion',
  name: 'Potion',
  icon: 'sprites/items/potion.png',
  added: [1],
};

it("separates an item's index numbers from the other fields on its card", () => {
  const fields = record.selectCardFields(item);
  expect(fields).toEqual({
    facts: ['slug', 'id', 'added'],
    indices: ['id1', 'id2'],
  });
});

it('lists the name, slug and id columns before all others', () => {
  expect(record.selectColumns(item)).toEqual([
    'name',
    'slug',
    'id',
    'id1',
    'id2',
    'added',
  ]);
});

it.each([
  [null, '–'],
  [5, '5'],
  ['x', 'x'],
  [[1, 'a'], '[1,"a"]'],
  [true, 'true'],
])('formats the value %j as %s', (value, text) => {
  expect(record.formatCell(value)).toBe(text);
});

it.each([
  [null, 'null'],
  [5, 'number'],
  ['x', undefined],
  [[1, 'a'], undefined],
  [true, undefined],
])('classifies the value %j as %s', (value, type) => {
  expect(record.classifyValue(value)).toBe(type);
});

describe('classifyColumn', () => {
  it('classifies a column by its first value that is not null', () => {
    const records = [{ id1: null }, { id1: 3 }];
    expect(record.classifyColumn(records, 'id1')).toBe('number');
  });

  it('classifies a column that contains only null as null', () => {
    expect(record.classifyColumn([{ id1: null }], 'id1')).toBe('null');
  });
});

it('returns the value of a text field', () => {
  expect(record.readTextField(item, 'name')).toBe('Potion');
});

it.each([
  ['a field that is not text', item, 'id'],
  ['a record that is null', null, 'name'],
])('returns undefined for %s', (_, value, field) => {
  expect(record.readTextField(value, field)).toBeUndefined();
});
