import { existsSync } from 'node:fs';
import path from 'node:path';
import { watchSite } from '../../src/serve/site.ts';
import { openSite } from '../../src/site-folder.ts';
import type { Random } from '../support/random.ts';
import { range } from '../support/upstream-data.ts';
import {
  createBuildArgs,
  demand,
  demandClean,
  digestSite,
  KILL_AT,
  mustRun,
  run,
} from './environment.ts';
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
  'build, all files': range(1, 188).map((nth) => `renameSync:${nth} move`),
};

/** Throws unless `serve` loads the site that a killed build has left. */
async function demandServed({ out }: PreparedScenario): Promise<void> {
  const controller = new AbortController();
  const problems: string[] = [];
  const site = await watchSite(out, {
    baseUrl: undefined,
    onProblem: (problem) => void problems.push(problem),
    signal: controller.signal,
  });
  controller.abort();
  const { body } = await site().respond({
    method: 'GET',
    path: '/manifest.json',
    search: '',
    headers: new Headers(),
  });
  const served = Buffer.concat(body ?? []);
  const { manifestBody: manifest } = openSite(out);
  demand(problems.length === 0, `serve: ${problems.join('; ')}`);
  demand(served.equals(manifest), 'serve: loads another site');
}

/**
 * Runs a build that cannot read its source. It must fail, but finish the change of the
 * killed build first, so that the files on disk are one complete site.
 */
async function demandFinished({ out, folder }: PreparedScenario): Promise<void> {
  const visibleDigest = digestSite(out);
  const missing = path.join(folder, 'missing');
  const { code, stderr } = await run(createBuildArgs(missing, out));
  demand(code === 1, `a build without a source ended with ${code}: ${stderr}`);
  demandClean(out, 'a build without a source ');
  demand(digestSite(out) === visibleDigest, 'finishing has published another site');
  await mustRun(['verify', out, '--quiet']);
}

interface Kill {
  readonly scenario: PreparedScenario;
  readonly moment: string;
}

/**
 * Kills builds before calls that lock, stage, commit, and move files into place. Every
 * command must see the old or the new site at once, and the next build must finish the
 * change, even if that build fails.
 *
 * @returns the number of kills
 */
export const killExactly = (count: number, random: Random): Promise<number> =>
  withScenarios(90, async (scenarios) => {
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
      if (existsSync(scenario.out)) {
        await demandServed(scenario);
        await demandFinished(scenario);
      }
      await attempt.expectRecovery(moment, killed);
    }
    return chosen.length;
  });
