/** How an expected failure is told. */

import type { GamedataError } from '../errors.ts';
import type { Reporter } from './reporter.ts';

/** @param after what else users should know, such as what was kept */
export function explain(
  { message, hint }: Pick<GamedataError, 'message' | 'hint'>,
  { notice }: Pick<Reporter, 'notice'>,
  after: readonly string[] = [],
): void {
  notice(`error: ${message}`);
  if (hint !== undefined) notice(`hint: ${hint}`);
  for (const line of after) notice(line);
}
