/**
 * A few real records. Tests use them instead of the bundled data, which each refresh
 * replaces.
 */

import { rawItem, rawMove, type SomeRecords } from './sites.ts';

const moves: readonly (readonly [id: number, name: string])[] = [
  [1, 'Pound'],
  [4, 'Comet Punch'],
  [7, 'Fire Punch'],
  [9, 'Thunder Punch'],
  [45, 'Growl'],
  [67, 'Low Kick'],
  [83, 'Fire Spin'],
  [84, 'Thunder Shock'],
  [85, 'Thunderbolt'],
  [86, 'Thunder Wave'],
  [87, 'Thunder'],
  [126, 'Fire Blast'],
  [135, 'Soft-Boiled'],
  [221, 'Sacred Fire'],
  [247, 'Shadow Ball'],
  [360, 'Gyro Ball'],
  [369, 'U-turn'],
  [422, 'Thunder Fang'],
  [519, 'Fire Pledge'],
  [719, '10,000,000 Volt Thunderbolt'],
];

const items: readonly (readonly [id: number, name: string])[] = [
  [1, 'Master Ball'],
  [2, 'Ultra Ball'],
  [3, 'Great Ball'],
  [4, 'Poké Ball'],
  [5, 'Safari Ball'],
  [14, 'Heal Ball'],
  [17, 'Potion'],
  [26, 'Super Potion'],
  [43, 'Berry Juice'],
  [44, 'Sacred Ash'],
  [82, 'Fire Stone'],
  [83, 'Thunder Stone'],
  [85, 'Leaf Stone'],
  [126, 'Cheri Berry'],
  [132, 'Oran Berry'],
  [205, 'Smoke Ball'],
  [305, 'TM01'],
  [454, 'Friend Ball'],
  [994, 'Left Poké Ball'],
];

function toSlug(name: string): string {
  const letters = name.toLowerCase().replaceAll('é', 'e').replaceAll(',', '-');
  return letters.replaceAll(' ', '-');
}

export const knownRecords: SomeRecords = {
  move: moves.map(([id, englishName]) =>
    rawMove(id, { slug: toSlug(englishName), englishName }),
  ),
  item: items.map(([id, englishName]) =>
    rawItem(id, { slug: toSlug(englishName), englishName }),
  ),
};
