import type { Random } from '../../test/support/random.ts';
import { demand, KILL_AT } from './environment.ts';
import { withScenarios } from './scenarios.ts';

const COMMIT = 'staging/site/manifest.json$';
const MOVE = 'gamedata-staging/site/\\S+ ';
const MANIFEST = 'gamedata-staging/site/manifest.json \\S+/site/manifest.json$';

/** Scenario → the n-th call of a function, and a pattern for its paths. */
const moments: Readonly<Record<string, readonly (readonly [call: string, paths?: string])[]>> = {
  'build, a few files': [
    ...[['writeFileSync:1'], ['linkSync:1'], ['unlinkSync:1'], ['mkdirSync:2'], ['writeFileSync:2']],
    ...[['writeFileSync:30'], ['renameSync:1'], ['fsyncSync:1'], ['renameSync:1', COMMIT]],
    ...[
      ['renameSync:1', MOVE],
      ['renameSync:30', MOVE],
      ['renameSync:1', MANIFEST],
    ],
    ...[['rmSync:1', 'staging$'], ['rmSync:2', 'staging$'], ['unlinkSync:2'], ['unlinkSync:1', 'lock$']],
  ] as const,
  'build from an upstream': [
    ...[['writeSync:2'], ['writeSync:5'], ['writeSync:90'], ['writeFileSync:30'], ['renameSync:30', MOVE]],
  ] as const,
  'build, all files': [
    ...[['mkdirSync:9'], ['writeFileSync:2'], ['writeFileSync:30'], ['fsyncSync:1'], ['fsyncSync:5']],
    ...[
      ['renameSync:1', COMMIT],
      ['renameSync:1', MOVE],
      ['renameSync:2', MOVE],
      ['renameSync:70', MOVE],
    ],
    ...[
      ['renameSync:1', MANIFEST],
      ['rmSync:2', 'staging$'],
    ],
  ] as const,
};

/**
 * Kills builds before calls that lock, stage, commit, and move files into place.
 *
 * @returns the number of kills
 */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withScenarios({ records: 60, isWanted: (name) => name in moments }, async (scenarios) => {
    const all = scenarios.flatMap((scenario) =>
      (moments[scenario.name] ?? []).map(([call, paths = '']) => ({ scenario, call, paths })),
    );
    const chosen = random.sample(all, count);
    for (const { scenario, call, paths } of chosen) {
      const attempt = scenario.next();
      const env = { NODE_OPTIONS: `--import=${KILL_AT}`, KILL_AT: call, KILL_PATHS: paths };
      const killed = await attempt.run({ env });
      demand(killed.code === null, `${scenario.name}, ${call} ${paths}: was not killed`);
      await attempt.expectRecovery(`${call} ${paths}`, killed);
    }
    return chosen.length;
  });
