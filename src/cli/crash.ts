import { findWasmHint } from '../errors.ts';

/**
 * Describes an error that no command expects: by its hint if the machine is the reason, otherwise
 * by its stack, as a bug.
 */
export function describeCrash(error: unknown): string {
  const hint = findWasmHint(error);
  if (error instanceof Error && hint !== undefined)
    return `error: ${error.message}\nhint: ${hint}\n`;
  const stack = error instanceof Error ? error.stack : String(error);
  return `${stack}\nThis is a bug in gamedata: please report it.\n`;
}
