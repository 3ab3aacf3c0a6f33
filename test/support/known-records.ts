/**
 * A few real records. Tests use them instead of the bundled data, which each refresh
 * replaces.
 */

import { rawItem, rawMove, rawRecords, type SomeRecords } from './sites.ts';

const moves: readonly (readonly [id: number, name: string])[] = [
  [1, 'Pound'],
  [2, 'Karate Chop'],
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
  [296, 'Mist Ball'],
  [301, 'Ice Ball'],
  [311, 'Weather Ball'],
  [360, 'Gyro Ball'],
  [369, 'U-turn'],
  [412, 'Energy Ball'],
  [422, 'Thunder Fang'],
  [519, 'Fire Pledge'],
  [622, 'Breakneck Blitz'],
  [719, '10,000,000 Volt Thunderbolt'],
];

const items: readonly (readonly [id: number, name: string])[] = [
  [1, 'Master Ball'],
  [2, 'Ultra Ball'],
  [3, 'Great Ball'],
  [4, 'Poké Ball'],
  [5, 'Safari Ball'],
  [6, 'Net Ball'],
  [7, 'Dive Ball'],
  [8, 'Nest Ball'],
  [9, 'Repeat Ball'],
  [10, 'Timer Ball'],
  [11, 'Luxury Ball'],
  [12, 'Premier Ball'],
  [13, 'Dusk Ball'],
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
  [953, 'Left Poké Ball'],
];

/** The real names of Pound. */
const poundNames = { de: 'Pfund', fr: 'Écras’Face', 'zh-hans': '拍击' };

function toSlug(name: string): string {
  const letters = name.toLowerCase().replaceAll('é', 'e').replaceAll(',', '-');
  return letters.replaceAll(' ', '-');
}

export const knownRecords: SomeRecords = {
  move: moves.map(([id, englishName]) => rawMove(id, describe(englishName))),
  item: items.map(([id, englishName]) => rawItem(id, describe(englishName))),
};

/** Returns the fields that a name determines. */
function describe(englishName: string) {
  const slug = toSlug(englishName);
  const names = englishName === 'Pound' ? poundNames : { fr: `le ${englishName}` };
  return { slug, englishName, names };
}

/**
 * Returns plain records with ids from 1 to a number. Those with the id of a known record
 * are that record. As in the real data, some moves are from generation 7, and some items
 * have an index number in generation 3.
 */
export function manyRecords(moveCount: number, itemCount: number): SomeRecords {
  const plain = rawRecords(moveCount, itemCount);
  return {
    ...plain,
    move: plain.move.map((plainMove) => {
      const move = findById(knownRecords.move, plainMove.id) ?? plainMove;
      const isNew = move.id >= 622 && move.id <= 728;
      return { ...move, generation: isNew ? 7 : 1 };
    }),
    item: plain.item.map((plainItem) => {
      const item = findById(knownRecords.item, plainItem.id) ?? plainItem;
      const isOld = item.id <= 309;
      const gameIndices = isOld ? [{ generation: 3, index: item.id }] : [];
      return { ...item, gameIndices, sprite: `sprites/items/${item.slug}.png` };
    }),
  };
}

const findById = <R extends { readonly id: number }>(
  records: readonly R[] | undefined,
  id: number,
): R | undefined => records?.find((record) => record.id === id);
