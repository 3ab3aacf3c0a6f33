import type { Random } from '../support/random.ts';
import { demand, KILL_AT } from './environment.ts';
import { type PreparedScenario, withScenarios } from './scenarios.ts';

/** Patterns for the paths of calls. */
const patterns: Readonly<Record<string, string>> = {
  work: '/\\.gamedata/',
  commit: '/next/manifest.json$',
  move: '\\.gamedata/next/\\S+ ',
  manifest: '\\.gamedata/next/manifest.json ',
  removal: '/\\.gamedata$',
};

/**
 * The moments to kill each scenario: before the n-th call of a function, optionally
 * only counting calls about certain paths.
 *
 * `test/promises/power-cut.test.ts` tries every call of a small site. Here, a few calls
 * from each phase are enough to test what requires a real process: the lock of a
 * process that has ended, the cache's journal, and files that are flushed by real
 * calls.
 */
const moments: Readonly<Record<string, readonly string[]>> = {
  'build, a few files': [
    'mkdirSync:1',
    'mkdirSync:2 work',
    'writeFileSync:30 work',
    'fsyncSync:1',
    'renameSync:1 commit',
    'renameSync:1 move',
    'renameSync:30 move',
    'renameSync:1 manifest',
    'rmSync:3 removal',
  ],
  'build from an upstream': ['writeSync:2', 'writeSync:90', 'renameSync:30 move'],
  'build, all files': ['renameSync:2 move', 'renameSync:70 move'],
};

interface Kill {
  readonly scenario: PreparedScenario;
  readonly moment: string;
}

/**
 * Kills builds before calls that lock, stage, commit, and move files into place.
 *
 * @returns the number of kills
 */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withScenarios(60, async (scenarios) => {
    const all: Kill[] = [];
    for (const scenario of scenarios) {
      for (const moment of moments[scenario.name] ?? []) {
        all.push({ scenario, moment });
      }
    }
    const chosen = random.sample(all, count);
    for (const { scenario, moment } of chosen) {
      const [call = '', paths = ''] = moment.split(' ');
      const attempt = scenario.next();
      const env = {
        NODE_OPTIONS: `--import=${KILL_AT}`,
        KILL_AT: call,
        KILL_PATHS: patterns[paths] ?? '',
      };
      const killed = await attempt.run({ env });
      demand(killed.code === null, `${scenario.name}, ${moment}: was not killed`);
      await attempt.expectRecovery(moment, killed);
    }
    return chosen.length;
  });
