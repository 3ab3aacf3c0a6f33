/** Kills at exact moments: before calls that the stage, the commit and the change of the site are made of. */

import type { Random } from '../../test/support/random.ts';
import { demand } from './ground.ts';
import { withSubjects } from './subjects.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/**
 * The first write fills the lock. Where little changes, renames up to 67 find out whether folders are mount points, the
 * next one makes the commit record, and all but the last put the staged files into place; where everything does, the record
 * is number 129.
 */
const moments: Readonly<Record<string, readonly string[]>> = {
  'build, a few files': [
    ...['writeSync:1', 'mkdirSync:2', 'writeFileSync:1', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:2'],
    ...['renameSync:1', 'renameSync:68', 'renameSync:69', 'renameSync:100', 'unlinkSync:1', 'unlinkSync:2'],
  ],
  'build from an upstream': [
    'writeSync:2',
    'writeSync:5',
    'writeSync:90',
    'writeFileSync:30',
    'renameSync:150',
  ],
  'build, all files': [
    ...['writeSync:1', 'mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'fsyncSync:1', 'renameSync:129'],
    ...['renameSync:130', 'renameSync:131', 'renameSync:200', 'renameSync:270', 'unlinkSync:1', 'rmSync:1'],
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
