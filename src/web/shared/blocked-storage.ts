/**
 * Calls a function that uses the browser's storage. Returns undefined if the user has
 * blocked storage, because then every use of it throws.
 */
export function ignoreBlockedStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
