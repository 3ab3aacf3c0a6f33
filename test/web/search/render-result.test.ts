import { expect, it } from 'vitest';
import {
  type ResultRow,
  renderResult,
} from '../../../src/web/search/render-result.ts';

const punch = {
  kind: 'move',
  id: 7,
  slug: 'fire-punch',
  name: 'Fire Punch',
  generation: 1,
} as const;

const readText = (row: ResultRow): string =>
  renderResult(row)
    .text.replaceAll(/<[^>]+>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();

it("shows a record's name, kind, id and generation", () => {
  expect(readText(punch)).toBe('Fire Punch move 7 gen 1');
});

it('shows the name in the selected language first', () => {
  const row = { ...punch, local: 'Poing Feu', language: 'fr' };
  expect(readText(row)).toBe('Poing Feu Fire Punch move 7 gen 1');
  expect(renderResult(row).text).toContain('<b lang="fr" dir="auto">Poing Feu</b>');
});

it('underlines the query in the name', () => {
  const { text } = renderResult({ ...punch, query: ' PUNCH' });
  expect(text).toContain('Fire <mark>Punch</mark>');
});

it("says that an item's generation is that of its first index number", () => {
  const potion = {
    ...punch,
    kind: 'item',
    icon: 'sprites/items/potion.png',
  } as const;
  expect(readText(potion)).toContain('first index number in gen 1');
});

it('shows no generation for an item without index numbers', () => {
  expect(readText({ ...punch, kind: 'item', generation: null })).toBe(
    'Fire Punch item 7',
  );
});
