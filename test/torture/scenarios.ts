import path from 'node:path';
import { inFolder } from '../support/folders.ts';
import { serveFolder } from '../support/loopback.ts';
import type { Finished } from '../support/processes.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import { startUpstream } from '../support/upstream-server.ts';
import {
  ACCEPT,
  createBuildArgs,
  demand,
  demandClean,
  digestSite,
  mustRun,
  run,
  type StartOptions,
  writeDataSet,
} from './environment.ts';

type State = 0 | 1;

/** A command that switches a folder between two states. */
interface Scenario {
  readonly name: string;
  readonly out: string;
  createArgs(state: State): readonly string[];
  /** A command that must succeed at any time. */
  readonly check: readonly string[];
}

/** A run that changes the folder to its other state. */
interface ScenarioRun {
  run(options?: StartOptions): Promise<Finished>;
  /**
   * Throws unless the folder is in the old or the new state after the run, and the
   * next run changes it to the new state. `how` describes the interruption of the
   * run.
   */
  expectRecovery(how: string, ended: Pick<Finished, 'code'>): Promise<void>;
}

export interface PreparedScenario extends Scenario {
  /** The folder for all scenarios. */
  readonly folder: string;
  next(): ScenarioRun;
}

/** Creates two data sets, sites of them on a server, and scenarios. */
export function withScenarios<T>(
  records: number,
  use: (scenarios: PreparedScenario[]) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const served = await serveFolder(folder);
    const upstream = await startUpstream(upstreamOf(tinyUpstream(records, records)));
    try {
      const urls = { address: served.url, upstream: upstream.url };
      const prepared: PreparedScenario[] = [];
      for (const scenario of await createScenarios(folder, records, urls)) {
        prepared.push(await prepare(folder, scenario));
      }
      return await use(prepared);
    } finally {
      await served.stop();
      await upstream.close();
    }
  });
}

interface Urls {
  /** The URL at which the folder for all scenarios is served. */
  readonly address: string;
  readonly upstream: string;
}

/**
 * Creates the arguments of a build that publishes a data set below the base URL of a
 * state.
 */
function createBuild(data: string, base: State, out: string): string[] {
  const baseUrl = `https://site-${base}.test`;
  return createBuildArgs(data, out, '--base-url', baseUrl);
}

/**
 * Creates the scenarios, each in a separate folder. A scenario changes either the
 * data, which rewrites a few files, or the base URL, which rewrites all files. The
 * sites that are mirrored are built beforehand.
 */
async function createScenarios(
  folder: string,
  records: number,
  { address, upstream }: Urls,
): Promise<Scenario[]> {
  const at = (name: string): string => path.join(folder, name);
  const data = {
    0: writeDataSet(at('data-1'), records, 1),
    1: writeDataSet(at('data-2'), records, 2),
  };
  for (const state of [0, 1] as const) {
    await mustRun(createBuild(data[state], 0, at(`served-${state}`)));
  }

  function createSite(
    name: string,
    createArgs: (out: string, state: State) => string[],
  ): Scenario {
    const out = at(`${name.replaceAll(' ', '-')}/site`);
    return {
      name,
      out,
      check: ['verify', out, '--quiet'],
      createArgs: (state) => createArgs(out, state),
    };
  }
  const fewFiles = createSite('build, a few files', (out, state) =>
    createBuild(data[state], 0, out),
  );
  const allFiles = createSite('build, all files', (out, state) =>
    createBuild(data[0], state, out),
  );
  const fromUpstream = createSite('build from an upstream', (out, state) => [
    'build',
    '--source',
    'rest',
    '--upstream',
    upstream,
    '--cache',
    `${out}-cache`,
    '--quiet',
    ...ACCEPT,
    '--base-url',
    `https://site-${state}.test`,
    '--out',
    out,
  ]);
  const mirrored = createSite('mirror', (out, state) => {
    const baseUrl = ['--base-url', 'https://site-0.test'];
    const from = `${address}/served-${state}`;
    return ['mirror', from, out, ...ACCEPT, ...baseUrl];
  });
  const snapshot: Scenario = {
    name: 'snapshot',
    out: at('snapshot/data'),
    check: ['diff', at('snapshot/data'), at('snapshot/data')],
    createArgs(state) {
      const source = ['--source', 'snapshot', '--upstream', data[state]];
      return ['snapshot', ...source, ...ACCEPT, '--data', at('snapshot/data')];
    },
  };
  return [fewFiles, allFiles, fromUpstream, mirrored, snapshot];
}

/**
 * Runs a scenario once for each state, and remembers the folder's digest in that
 * state.
 */
async function prepare(
  folder: string,
  scenario: Scenario,
): Promise<PreparedScenario> {
  const { name, out, createArgs, check } = scenario;
  const digests: (string | undefined)[] = [];
  for (const state of [1, 0] as const) {
    await mustRun(createArgs(state));
    digests[state] = digestSite(out);
  }

  function next(): ScenarioRun {
    const oldDigest = digestSite(out);
    const state = oldDigest === digests[0] ? 1 : 0;
    const newDigest = digests[state];
    return {
      run: (options) => run(createArgs(state), options),
      async expectRecovery(how, { code }) {
        const what = `${name}, ${how}: `;
        const checked = await run(check);
        const end = `ended with ${checked.code}: ${checked.stderr}`;
        demand(checked.code === 0, `${what}${check[0]} ${end}`);

        const digest = digestSite(out);
        // Only a run that reports success must have published the new state.
        const isOld = code !== 0 && digest === oldDigest;
        const isOldOrNew = isOld || digest === newDigest;
        demand(isOldOrNew, `${what}the site is neither the old nor the new one`);

        const nextRun = await run(createArgs(state));
        demand(nextRun.code === 0, `${what}the next run fails: ${nextRun.stderr}`);
        const isNew = digestSite(out) === newDigest;
        demand(isNew, `${what}the next run creates another site`);
        demandClean(out, what);
      },
    };
  }
  return { ...scenario, folder, next };
}
