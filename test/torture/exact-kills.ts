import type { Random } from '../support/random.ts';
import { demand, KILL_AT } from './environment.ts';
import { withScenarios } from './scenarios.ts';

/** Patterns for the paths of calls. */
const patterns: Readonly<Record<string, string>> = {
  commit: 'staging/site/manifest.json$',
  move: 'gamedata-staging/site/\\S+ ',
  manifest: 'gamedata-staging/site/manifest.json \\S+/site/manifest.json$',
  staging: 'staging$',
  lock: 'lock$',
};

/** Scenario → the n-th call of a function, if need be about some paths. */
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
    ...[
      'renameSync:1',
      'fsyncSync:1',
      'renameSync:1 commit',
      'renameSync:1 move',
      'renameSync:30 move',
    ],
    ...[
      'renameSync:1 manifest',
      'rmSync:1 staging',
      'rmSync:2 staging',
      'unlinkSync:2',
      'unlinkSync:1 lock',
    ],
  ],
  'build from an upstream': [
    ...['writeSync:2', 'writeSync:5', 'writeSync:90', 'writeFileSync:30', 'renameSync:30 move'],
  ],
  'build, all files': [
    ...['mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:5'],
    ...['renameSync:1 commit', 'renameSync:1 move', 'renameSync:2 move', 'renameSync:70 move'],
    ...['renameSync:1 manifest', 'rmSync:2 staging'],
  ],
};

/**
 * Kills builds before calls that lock, stage, commit, and move files into place.
 *
 * @returns the number of kills
 */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withScenarios(60, async (scenarios) => {
    const all = scenarios.flatMap((scenario) =>
      (moments[scenario.name] ?? []).map((moment) => ({ scenario, moment })),
    );
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
