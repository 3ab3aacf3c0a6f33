import { expect, it } from 'vitest';
import type { Kind } from '../../../src/contract/kinds.ts';
import { drawGlyph, type Glyph } from '../../../src/web/glyph/draw-glyph.ts';

// Users recognize records by their glyphs, so these pictures must never change.
it.each<[Kind, string, string]>([
  [
    'item',
    'potion',
    '..#..#.. ..####.. ........ ...##... ######## .##..##. ..#..#.. #.#..#.#',
  ],
  [
    'item',
    'master-ball',
    '...##... ..####.. ######## .#+..+#. .##..##. ##+..+## ..####.. ..####..',
  ],
  [
    'item',
    'rare-candy',
    '........ ..#..#.. .##..##. .#....#. ##....## ..####.. ..####.. #..##..#',
  ],
  [
    'item',
    'bicycle',
    '...##... .#....#. .##..##. ...##... .#.##.#. ##....## ..####.. ........',
  ],
  [
    'item',
    'tm01',
    '##....## +#+##+#+ #+####+# .##++##. .+####+. .##++##. .#+##+#. ........',
  ],
  [
    'move',
    'pound',
    '...##... ..#..#.. #+#..#.. +#+.#### ####.+#+ ..#..#+# ..#..#.. ...##...',
  ],
  [
    'move',
    'fire-punch',
    '...#..#. ...#+#+. ...##+#. ..##+##. .##+##.. .#+##... .+#+#... .#..#...',
  ],
  [
    'move',
    'surf',
    '#...##.. .#+#+#.. ..#+#+.. ..+###.. ..###+.. ..+#+#.. ..#+#+#. ..##...#',
  ],
  [
    'move',
    'thunderbolt',
    '...##... #+#..#.. .##..#.. .###...# #...###. ..#..##. ..#..#+# ...##...',
  ],
  [
    'move',
    'u-turn',
    '#...##.. #..#+#.. .#+##... ..#+#... ...#+#.. ...##+#. ..#+#..# ..##...#',
  ],
])('draws the glyph of the %s %s', (kind, slug, picture) => {
  expect(drawGlyph(kind, slug).join(' ')).toBe(picture);
});

const slugs = Array.from({ length: 200 }, (_, index) => `record-${index}`);
const reverse = (row: string): string => [...row].reverse().join('');
const mirror = (glyph: Glyph): Glyph => glyph.map(reverse);
const turn = (glyph: Glyph): Glyph => mirror(glyph).toReversed();

it('draws a symmetrical glyph for an item', () => {
  for (const slug of slugs) {
    const glyph = drawGlyph('item', slug);
    expect(glyph).toEqual(mirror(glyph));
  }
});

it('draws a glyph for a move that looks the same upside down', () => {
  for (const slug of slugs) {
    const glyph = drawGlyph('move', slug);
    expect(glyph).toEqual(turn(glyph));
  }
});

it('draws a different glyph for almost every slug', () => {
  for (const kind of ['move', 'item'] as const) {
    const pictures = slugs.map((slug) => drawGlyph(kind, slug).join(''));
    expect(new Set(pictures).size).toBeGreaterThan(195);
  }
});
