import { GamedataError } from '../errors.ts';

/**
 * Returns undefined instead of throwing if a file of a built site or data set cannot
 * be used. Call it only where a build can continue without that file.
 */
export function ignoreDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}
