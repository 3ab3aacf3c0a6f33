/** Kills at exact moments: before each call that the swap is made of, and before some of those of the stage. */

import type { Random } from '../../test/support/random.ts';
import { withFourSites } from './four-sites.ts';
import { demand } from './ground.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/**
 * Where little changes, the first rename makes the commit record, the next ones put the staged files into place. Where all
 * does, the first moves the old site aside, the second puts the new one in its place. The first write fills the lock.
 */
const moments = {
  data: [
    ...['writeSync:1', 'mkdirSync:2', 'writeFileSync:1', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:30'],
    ...['renameSync:1', 'renameSync:2', 'renameSync:30', 'renameSync:60', 'unlinkSync:1', 'rmSync:1'],
  ],
  base: [
    ...['writeSync:1', 'mkdirSync:2', 'mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'linkSync:1'],
    ...['linkSync:9', 'renameSync:1', 'renameSync:2', 'renameSync:3', 'rmSync:1', 'rmSync:2'],
  ],
};

const all = (['data', 'base'] as const).flatMap((differs) =>
  moments[differs].map((moment) => ({ differs, moment })),
);

/** @returns how many kills there were, as many as told at most. Throws with the first one that was not survived. */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withFourSites(60, [], async ({ next }) => {
    const chosen = random.sample(all, count);
    for (const { differs, moment } of chosen) {
      const site = next(differs);
      const killed = await site.build({ env: { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: moment } });
      demand(killed.code === null, `${moment}: was not killed`);
      await site.survive(moment, killed);
    }
    return chosen.length;
  });
