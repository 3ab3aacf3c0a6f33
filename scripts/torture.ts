/** Tortures the builder and the server, and prints the numbers: `npm run torture -- [--short] [--seed n]`. */

import { parseArgs } from 'node:util';
import { placesOf, tryFault } from '../test/support/fault-trial.ts';
import { faults } from '../test/support/faults.ts';
import { fuzz } from '../test/support/fuzz-run.ts';
import { seeded } from '../test/support/random.ts';
import { killExactly } from './torture/exact-kills.ts';
import { hardships } from './torture/hardships.ts';
import { killBuilds } from './torture/kills.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const random = seeded(seed);
const amounts = values.short
  ? { kills: 16, handled: 20_000, served: 200 }
  : { kills: 200, handled: 500_000, served: 5000 };

let failed = false;
/** Runs a part and says how it ended. */
async function part(
  name: string,
  work: () => Promise<{ says: string; problems?: readonly string[] }>,
): Promise<void> {
  const started = performance.now();
  let says: string;
  let problems: readonly string[] = [];
  try {
    ({ says, problems = [] } = await work());
  } catch (error) {
    says = 'FAILED';
    problems = [error instanceof Error ? error.message : String(error)];
  }
  for (const problem of problems) console.error(`  ${problem}`);
  if (problems.length > 0) failed = true;
  console.log(`${name}: ${says} (${Math.round((performance.now() - started) / 1000)} s)`);
}

process.env.NO_PROXY = '127.0.0.1';
console.log(`seed ${seed}`);

if (!values.short)
  await part('faults', async () => {
    const problems: string[] = [];
    let trials = 0;
    for (const fault of faults)
      for (const stay of fault.retried && !fault.lasting
        ? (['lasting', 'once'] as const)
        : (['lasting'] as const))
        for (const place of placesOf(fault)) {
          trials++;
          const found = await tryFault(fault, place, { stay });
          problems.push(...found.map((problem) => `${fault.name} in ${place.name}, ${stay}: ${problem}`));
        }
    return { says: `${faults.length} tried ${trials} times, ${problems.length} problems`, problems };
  });

await part('kills at random moments', async () => {
  const kills = await killBuilds(amounts.kills, random);
  const parts = Object.entries(kills).map(([phase, count]) => `${count} ${phase}`);
  return { says: `${amounts.kills} survived: ${parts.join(', ')}` };
});
await part('kills at exact moments', async () => ({ says: `${await killExactly()} survived` }));
await part('hardships', async () => {
  const { survived, skipped, problems } = await hardships();
  return { says: `${survived} survived${skipped.map((line) => `, skipped: ${line}`).join('')}`, problems };
});
await part('fuzz', async () => {
  const { handled, served } = amounts;
  const problems = await fuzz({ handled, served, seed });
  return {
    says: `${handled} requests in process, ${served} over sockets, ${problems.length} problems`,
    problems,
  };
});
process.exitCode = failed ? 1 : 0;
