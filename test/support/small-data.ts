/** A small data set in a folder, for tests that build whole sites and need no thousands of files. */

import path from 'node:path';
import { dataSetFiles } from '../../src/cli/commands/snapshot.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { encodeDataSet } from './decode.ts';
import { dataSetOf, rawRecords, type SomeRecords } from './sites.ts';
import { temporaryFolder } from './temporary.ts';

/** The options of a build that reads such a data set: two pages of moves, five items. */
export async function smallSource(
  raw: SomeRecords = rawRecords(120, 5),
  upstream = path.join(temporaryFolder(), 'data'),
): Promise<{ source: 'snapshot'; upstream: string }> {
  await withOutput(upstream, ({ publish }) => publish(dataSetFiles(encodeDataSet(dataSetOf(raw)))));
  return { source: 'snapshot', upstream };
}
