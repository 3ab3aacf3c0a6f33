/** The diff command: reads two data sets, wherever they are, and compares them. */

import type { Comparison } from '../../contract/changes.ts';
import { compare } from '../../dataset/compare.ts';
import { settled } from '../../publish/publish.ts';
import { readDataSet } from '../../sources/read-data-set.ts';
import { isArchive } from '../../sources/site/place.ts';
import { isAddress } from '../../sources/source.ts';
import { checkAddress, integerOption, refuseUnknown } from './check-options.ts';
import { defaults } from './defaults.ts';
import type { SourceOptions } from './source-options.ts';

export type DiffOptions = Pick<SourceOptions, 'concurrency' | 'signal'>;

/**
 * Compares two data sets, each given by a snapshot's folder, a site's folder or archive, or a deployment's URL.
 *
 * @throws UsageError, OutputError, UpstreamError or DataError if one of them cannot be read completely
 */
export async function diff(before: string, after: string, options: DiffOptions = {}): Promise<Comparison> {
  refuseUnknown(options, 'concurrency signal');
  const { concurrency = defaults.concurrency, signal } = options;
  const resolved = { concurrency: integerOption('concurrency', concurrency), signal };
  for (const target of [before, after]) {
    if (isAddress(target)) checkAddress('address', target);
    else if (!isArchive(target)) await settled(target);
  }
  const read = (target: string) => readDataSet(target, resolved);
  const [from, to] = await Promise.all([read(before), read(after)]);
  return compare(from, to);
}
