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

it('shows the slug first on a card, and the indices in a list of their own', () => {
  const fields = record.selectCardFields(item);
  expect(fields).toEqual({ facts: ['slug', 'id', 'added'], indices: ['id1', 'id2'] });
});

it('starts a table with the name, and adds unknown fields', () => {
  expect(record.selectColumns(item)).toEqual(['name', 'slug', 'id', 'id1', 'id2', 'added']);
});

it.each([
  [null, '–', 'null'],
  [5, '5', 'number'],
  ['x', 'x', undefined],
  [[1, 'a'], '[1,"a"]', undefined],
  [true, 'true', undefined],
])('formats and classifies %j', (value, text, type) => {
  expect(record.formatCell(value)).toBe(text);
  expect(record.classifyValue(value)).toBe(type);
});

describe('classifyColumn', () => {
  it('ignores null', () => {
    const records = [{ id1: null }, { id1: 3 }];
    expect(record.classifyColumn(records, 'id1')).toBe('number');
  });

  it('classifies a column of nothing but null', () => {
    expect(record.classifyColumn([{ id1: null }], 'id1')).toBe('null');
  });
});

it.each([
  [{ id1: null }, true],
  [{ id: 1 }, false],
  ['text', false],
  [null, false],
])('knows whether %j has in-game indices: %s', (value, expected) => {
  expect(record.hasIndices(value)).toBe(expected);
});

it('reads a field only if it is text', () => {
  expect(record.readTextField(item, 'name')).toBe('Potion');
  expect(record.readTextField(item, 'id')).toBeUndefined();
  expect(record.readTextField(null, 'name')).toBeUndefined();
});
