import { GamedataError } from '../errors.ts';

/** Returns undefined for damaged data, which the next build replaces. */
export function ignoreDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GamedataError) return undefined;
    throw error;
  }
}
