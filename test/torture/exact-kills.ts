import type { Random } from '../support/random.ts';
import { demand, KILL_AT } from './environment.ts';
import { type PreparedScenario, withScenarios } from './scenarios.ts';

/** Patterns for the paths of calls. */
const patterns: Readonly<Record<string, string>> = {
  commit: 'staging/site/manifest.json$',
  move: 'gamedata-staging/site/\\S+ ',
  manifest: 'gamedata-staging/site/manifest.json \\S+/site/manifest.json$',
  staging: 'staging$',
  lock: 'lock$',
};

/**
 * The moments to kill each scenario: before the n-th call of a function, optionally
 * only counting calls about certain paths.
 *
 * `test/promises/power-cut.test.ts` tries every call of a small site. Here, one call
 * from each phase is enough to test what requires a real process: the lock of a
 * process that has ended, the cache's journal, and files that are flushed by real
 * calls.
 */
const moments: Readonly<Record<string, readonly string[]>> = {
  'build, a few files': [
    'linkSync:1',
    'mkdirSync:2',
    'writeFileSync:30',
    'fsyncSync:1',
    'renameSync:1 commit',
    'renameSync:30 move',
    'renameSync:1 manifest',
    'rmSync:2 staging',
    'unlinkSync:1 lock',
  ],
  'build from an upstream': ['writeSync:2', 'writeSync:90', 'renameSync:30 move'],
  'build, all files': ['renameSync:70 move'],
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
