/** The second thread that looks at published files: from the last to the first, towards the one that started it. */

import { workerData } from 'node:worker_threads';
import { createCheck, type Looking } from './untouched.ts';

const { site, lines, ends, untouched }: Looking = workerData;
const isUntouched = createCheck(site);
const isLineUntouched = (line: string): boolean => {
  const space = line.indexOf(' ');
  return isUntouched(line.slice(space + 1), Number(line.slice(0, space)));
};
for (let at = ends.length - 1; at >= 0; at--) {
  const block = Buffer.from(lines).toString('utf8', ends[at - 1] ?? 0, ends[at]);
  if (block.slice(0, -1).split('\n').every(isLineUntouched)) Atomics.store(untouched, at, 1);
}
