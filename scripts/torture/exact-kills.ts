/** Kills at exact moments: before calls that lock, stage, commit and move files into place. */

import type { Random } from '../../test/support/random.ts';
import { demand } from './ground.ts';
import { withSubjects } from './subjects.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/**
 * The draft of the lock is written first, linked and removed. Where little changes, 67 renames check folders, the next one
 * commits the change, and the last one, 139, moves the manifest into place; where everything changes, these are 130 and 278.
 */
const moments: Readonly<Record<string, readonly string[]>> = {
  'build, a few files': [
    ...[
      'writeFileSync:1',
      'linkSync:1',
      'unlinkSync:1',
      'mkdirSync:2',
      'writeFileSync:2',
      'writeFileSync:30',
    ],
    ...['renameSync:1', 'fsyncSync:1', 'renameSync:68', 'renameSync:69', 'renameSync:100', 'renameSync:139'],
    ...['rmSync:3', 'unlinkSync:2', 'unlinkSync:3'],
  ],
  'build from an upstream': [
    ...['writeSync:2', 'writeSync:5', 'writeSync:90', 'writeFileSync:30', 'renameSync:150'],
  ],
  'build, all files': [
    ...['mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:5', 'renameSync:130'],
    ...['renameSync:131', 'renameSync:132', 'renameSync:200', 'renameSync:278', 'rmSync:4'],
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
