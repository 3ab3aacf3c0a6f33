import { GamedataError } from '../errors.ts';

/**
 * Returns undefined instead of throwing if the data is damaged. The next build replaces such data.
 */
export function ignoreDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}
