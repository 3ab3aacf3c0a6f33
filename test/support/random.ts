/** Chance that can be repeated: the same seed gives the same numbers. */

import * as fc from 'fast-check';

/** What fast-check says of the first case that fails a property; nothing if none does. */
export async function failureOf<T>(
  property: fc.IAsyncProperty<T>,
  options: fc.Parameters<T>,
): Promise<string[]> {
  const details = await fc.check(property, { ...options, includeErrorInReport: true });
  return details.failed ? [fc.defaultReportMessage(details) ?? 'failed'] : [];
}

export interface Random {
  /** From 0 up to 1. */
  fraction(): number;
  /** A integer from 0 up to below `end`. */
  below(end: number): number;
  pick<T>(choices: readonly T[]): T;
  /** So many of them, or all if there are fewer, in their order. */
  sample<T>(choices: readonly T[], count: number): T[];
}

/** https://github.com/cprosche/mulberry32 */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(fraction() * end);
  return {
    fraction,
    below,
    pick<T>(choices: readonly T[]): T {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error('nothing to pick from');
      return choice;
    },
    sample(choices, count) {
      let left = Math.min(count, choices.length);
      return choices.filter((_, at) => {
        const isTaken = below(choices.length - at) < left;
        if (isTaken) left--;
        return isTaken;
      });
    },
  };
}
