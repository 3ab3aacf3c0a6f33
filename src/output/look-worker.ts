/** The second thread that looks at published files: from the last to the first, towards the one that started it. */

import { workerData } from 'node:worker_threads';
import { createCheck, type Looking } from './untouched.ts';

const { site, blocks, untouched }: Looking = workerData;
const isUntouched = createCheck(site);
for (let at = blocks.length - 1; at >= 0; at--) {
  const { names, bytes } = blocks[at] ?? { names: '', bytes: new Float64Array() };
  if (names.split('\n').every((name, place) => isUntouched(name, bytes[place] ?? 0)))
    Atomics.store(untouched, at, 1);
}
