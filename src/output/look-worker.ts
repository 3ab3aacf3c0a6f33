/** The second thread that looks at published files: from the last to the first, towards the one that started it. */

import { workerData } from 'node:worker_threads';
import { createCheck, type Looking } from './untouched.ts';

const { site, blocks, untouched }: Looking = workerData;
const isUntouched = createCheck(site);
const decoder = new TextDecoder();
for (const [at, { names, bytes }] of [...blocks.entries()].reverse()) {
  const lines = decoder.decode(names).split('\n');
  if (lines.every((name, place) => isUntouched(name, bytes[place] ?? 0))) Atomics.store(untouched, at, 1);
}
