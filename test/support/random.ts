/** Makes random choices, which are the same in every run with the same seed. */
export interface Random {
  /** Returns a whole number from 0 to `end - 1`. */
  below(end: number): number;
  /**
   * Picks one choice.
   *
   * @throws Error if there are no choices
   */
  pick<T>(choices: readonly T[]): T;
  /**
   * Picks `count` choices, or all of them if there are fewer, and keeps their order.
   */
  sample<T>(choices: readonly T[], count: number): T[];
}

/**
 * Creates a random number generator. The same seed always results in the same
 * numbers: https://github.com/cprosche/mulberry32
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const nextFraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(nextFraction() * end);
  return {
    below,
    pick<T>(choices: readonly T[]): T {
      const index = below(choices.length);
      if (index >= choices.length) throw new Error('nothing to pick from');
      return choices[index] as T;
    },
    sample<T>(choices: readonly T[], count: number): T[] {
      let left = Math.min(count, choices.length);
      return choices.filter((_, at) => {
        const isTaken = below(choices.length - at) < left;
        if (isTaken) left--;
        return isTaken;
      });
    },
  };
}
