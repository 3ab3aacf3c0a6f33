import { findWasmHint } from '../errors.ts';

/**
 * Describes an error that no command expects. If the machine is to blame, the text
 * ends with a hint. Otherwise the text shows the stack and asks the user to report a
 * bug.
 */
export function describeCrash(error: unknown): string {
  const hint = findWasmHint(error);
  if (error instanceof Error && hint !== undefined) {
    return `error: ${error.message}\nhint: ${hint}\n`;
  }
  const stack = error instanceof Error ? error.stack : String(error);
  return `${stack}\nThis is a bug in gamedata: please report it.\n`;
}
