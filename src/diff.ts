/** The story of a diff: two data sets are read, wherever they are, and compared. */

import { compare } from './changes/compare.ts';
import type { Comparison } from './contract/changes.ts';
import { readEdition } from './diff/read-edition.ts';
import { type DiffOptions, resolveDiff } from './options.ts';

/**
 * Compares two data sets, each a folder of a snapshot, a folder of a site or the address of a deployment.
 *
 * @throws UsageError, OutputError, UpstreamError or DataError where one of them cannot be read whole
 */
export async function diff(before: string, after: string, options: DiffOptions = {}): Promise<Comparison> {
  const resolved = resolveDiff([before, after], options);
  const [from, to] = await Promise.all([readEdition(before, resolved), readEdition(after, resolved)]);
  return compare(from, to);
}
