/** Exit codes of every command. */

import type { GamedataError } from '../errors.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  /** A guard refused the data. */
  refused: 4,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export function exitCodeOf({ code }: GamedataError): number {
  if (code === 'usage') return exitCodes.usage;
  return code === 'guard' ? exitCodes.refused : exitCodes.failed;
}
