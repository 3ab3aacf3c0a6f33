/**
 * Describes an error that no command expects, and asks the user to report it as a
 * bug.
 */
export function describeCrash(error: unknown): string {
  const stack = error instanceof Error ? error.stack : String(error);
  return `${stack}\nThis is a bug in gamedata: please report it.\n`;
}
