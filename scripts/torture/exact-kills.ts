/** Kills at exact moments: before each call that the swap is made of, and before some of those of the stage. */

import type { Random } from '../../test/support/random.ts';
import { demand } from './ground.ts';
import { withSubjects } from './subjects.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/**
 * Where little changes, the first rename makes the commit record, the next ones put the staged files into place. Where all
 * does, the first moves the old site aside, the second puts the new one in its place. The first write fills the lock.
 */
const moments: Readonly<Record<string, readonly string[]>> = {
  'build, a few files': [
    ...['writeSync:1', 'mkdirSync:2', 'writeFileSync:1', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:30'],
    ...['renameSync:1', 'renameSync:2', 'renameSync:30', 'renameSync:60', 'unlinkSync:1', 'unlinkSync:2'],
  ],
  'build, all files': [
    ...['writeSync:1', 'mkdirSync:2', 'mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'linkSync:1'],
    ...['linkSync:9', 'renameSync:1', 'renameSync:2', 'renameSync:3', 'rmSync:1', 'unlinkSync:1'],
  ],
};

/** @returns how many kills there were, as many as told at most. Throws with the first one that was not survived. */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withSubjects({ records: 60, isWanted: (name) => name in moments }, async (subjects) => {
    const all = subjects.flatMap((subject) =>
      (moments[subject.name] ?? []).map((moment) => ({ subject, moment })),
    );
    const chosen = random.sample(all, count);
    for (const { subject, moment } of chosen) {
      const attempt = subject.next();
      const killed = await attempt.run({ env: { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: moment } });
      demand(killed.code === null, `${subject.name}, ${moment}: was not killed`);
      await attempt.survive(moment, killed);
    }
    return chosen.length;
  });
