import path from 'node:path';
import { inFolder } from '../support/folders.ts';
import { serveFolder } from '../support/loopback.ts';
import type { Finished } from '../support/processes.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';
import { startUpstream } from '../support/upstream-server.ts';
import {
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
  /** A command that succeeds, or reports that the folder is being changed. */
  readonly check: readonly string[];
}

export type PreparedScenario = Awaited<ReturnType<typeof prepare>>;

/** Creates two data sets, sites of them on a server, and scenarios. */
export const withScenarios = <T>(
  records: number,
  use: (scenarios: PreparedScenario[]) => Promise<T>,
): Promise<T> =>
  inFolder(async (folder) => {
    const served = await serveFolder(folder);
    const upstream = await startUpstream(upstreamOf(tinyUpstream(records, records)));
    try {
      const scenarios: PreparedScenario[] = [];
      const urls = { address: served.url, upstream: upstream.url };
      for (const scenario of await createScenarios(folder, records, urls))
        scenarios.push(await prepare(folder, scenario));
      return await use(scenarios);
    } finally {
      await served.stop();
      await upstream.close();
    }
  });

async function createScenarios(
  folder: string,
  records: number,
  { address, upstream }: { address: string; upstream: string },
): Promise<Scenario[]> {
  const at = (name: string): string => path.join(folder, name);
  const data = [1, 2].map((variant) => writeDataSet(at(`data-${variant}`), records, variant));
  const build = (out: string, { from, base }: { from: State; base: State }): string[] => [
    ...[
      'build',
      '--source',
      'snapshot',
      '--upstream',
      data[from] ?? '',
      '--no-downloads',
      '--quiet',
    ],
    ...['--base-url', `https://site-${base}.test`, '--out', out],
  ];
  for (const state of [0, 1] as const)
    await mustRun(build(at(`served-${state}`), { from: state, base: 0 }));
  const createSite = (
    name: string,
    createArgs: (out: string, state: State) => string[],
  ): Scenario => {
    const out = at(`${name.replaceAll(' ', '-')}/site`);
    return {
      name,
      out,
      check: ['verify', out, '--quiet'],
      createArgs: (state) => createArgs(out, state),
    };
  };
  const moved = createSite('move', (out, state) => [
    'mirror',
    out,
    '--base-url',
    `https://site-${state}.test`,
  ]);
  await mustRun(build(moved.out, { from: 0, base: 0 }));
  const snapshot = at('snapshot/data');
  return [
    createSite('build, a few files', (out, state) => build(out, { from: state, base: 0 })),
    createSite('build, all files', (out, state) => build(out, { from: 0, base: state })),
    createSite('build from an upstream', (out, state) => [
      ...[
        'build',
        '--source',
        'rest',
        '--upstream',
        upstream,
        '--cache',
        `${out}-cache`,
        '--quiet',
      ],
      ...['--max-shrink', '100', '--base-url', `https://site-${state}.test`, '--out', out],
    ]),
    createSite('mirror', (out, state) => [
      'mirror',
      `${address}/served-${state}`,
      out,
      '--max-shrink',
      '100',
    ]),
    moved,
    {
      name: 'snapshot',
      out: snapshot,
      createArgs: (state) => [
        ...[
          'snapshot',
          '--source',
          'snapshot',
          '--upstream',
          data[state] ?? '',
          '--data',
          snapshot,
        ],
      ],
      check: ['diff', snapshot, snapshot],
    },
  ];
}

async function prepare(folder: string, scenario: Scenario) {
  const { name, out, createArgs, check } = scenario;
  const digests: (string | undefined)[] = [];
  for (const state of [1, 0] as const) {
    await mustRun(createArgs(state));
    digests[state] = digestSite(out);
  }
  /** Prepares a run that changes the folder to its other state. */
  function next() {
    const before = digestSite(out);
    const state = before === digests[0] ? 1 : 0;
    /** Throws unless the folder is in either state, and the next run changes it to the new state. */
    async function expectRecovery(how: string, { code }: Pick<Finished, 'code'>): Promise<void> {
      const what = `${name}, ${how}: `;
      const { code: checked, stderr } = await run(check);
      const isChanging = checked === 1 && stderr.includes('is being changed');
      demand(checked === 0 || isChanging, `${what}${check[0]} ended with ${checked}: ${stderr}`);
      const now = digestSite(out);
      const isOld = code !== 0 && now === before;
      demand(now === digests[state] || isOld, `${what}the site is neither the old nor the new one`);
      const again = await run(createArgs(state));
      demand(again.code === 0, `${what}the next run fails: ${again.stderr}`);
      demand(digestSite(out) === digests[state], `${what}the next run creates another site`);
      demandClean(out, what);
    }
    return { run: (options?: StartOptions) => run(createArgs(state), options), expectRecovery };
  }
  return { ...scenario, folder, next };
}
