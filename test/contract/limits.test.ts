import { expect, it } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';

it.each([
  ['meta.json', 131_072],
  ['manifest.json', 16_777_216],
  ['changes.json', 25_165_824],
  ['former.json', 8_388_608],
  ['names/de.json', 4_194_304],
  ['api/gamedata/move/index.json', 1_048_576],
  ['sprites/items/potion.png', 262_144],
  ['download/move.csv', 268_435_456],
  ['docs/meta.json', 67_108_864],
])('limits %s to %i bytes', (file, bytes) => {
  expect(getMaxBytes(file)).toBe(bytes);
});
