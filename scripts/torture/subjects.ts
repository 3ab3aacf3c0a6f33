/** What is interrupted: commands that turn a folder from one of two states into the other, again and again. */

import path from 'node:path';
import { inFolder } from '../../test/support/folders.ts';
import { serveFolder } from '../../test/support/loopback.ts';
import type { Finished } from '../../test/support/processes.ts';
import { tinyUpstream, upstreamOf } from '../../test/support/upstream-data.ts';
import { startUpstream } from '../../test/support/upstream-server.ts';
import { demand, leftovers, run, type StartOptions, siteDigest, succeed, writeDataSet } from './ground.ts';

type State = 0 | 1;

interface Subject {
  readonly name: string;
  /** The folder that changes. */
  readonly out: string;
  /** The command that turns it into a state. */
  args(state: State): readonly string[];
  /** The command that has to find the folder whole, or between two states. */
  readonly check: readonly string[];
  /** What tells the states apart. */
  digest(): string | undefined;
}

/** A subject, and a temporary folder for what is noted of it. */
export interface Ground extends Subject {
  readonly folder: string;
  /** Starts turning it into its other state. */
  next(): Attempt;
}

export interface Attempt {
  run(options?: StartOptions): Promise<Finished>;
  /** Throws unless the folder is in one of both states, the new one if the command said so, and can be brought there now. */
  survive(what: string, exit: Pick<Finished, 'code'>): Promise<void>;
}

/** Two data sets of so many records, sites of them that are served, and the subjects of that which are wanted. */
export const withSubjects = <T>(
  { records, isWanted = () => true }: { records: number; isWanted?: (name: string) => boolean },
  use: (subjects: Ground[]) => Promise<T>,
): Promise<T> =>
  inFolder(async (folder) => {
    const served = await serveFolder(folder);
    const upstream = await startUpstream(upstreamOf(tinyUpstream(records, records)));
    try {
      const subjects: Ground[] = [];
      const addresses = { records, address: served.url, upstream: upstream.url };
      for (const subject of await subjectsIn(folder, addresses))
        if (isWanted(subject.name)) subjects.push(await prepare(folder, subject));
      return await use(subjects);
    } finally {
      await served.stop();
      await upstream.close();
    }
  });

async function subjectsIn(
  folder: string,
  { records, address, upstream }: { records: number; address: string; upstream: string },
): Promise<Subject[]> {
  const at = (name: string): string => path.join(folder, name);
  const data = [1, 2].map((variant) => writeDataSet(at(`data-${variant}`), records, variant));
  const build = (out: string, { from, base }: { from: State; base: State }): string[] => [
    ...['build', '--source', 'snapshot', '--upstream', data[from] ?? '', '--no-downloads', '--quiet'],
    ...['--base-url', `https://site-${base}.test`, '--out', out],
  ];
  for (const state of [0, 1] as const) await succeed(build(at(`served-${state}`), { from: state, base: 0 }));
  const site = (name: string, args: (out: string, state: State) => string[]): Subject => {
    const out = at(`${name.replaceAll(' ', '-')}/site`);
    const check = ['verify', out, '--quiet'];
    return { name, out, check, args: (state) => args(out, state), digest: () => siteDigest(out) };
  };
  const moved = site('move', (out, state) => ['mirror', out, '--base-url', `https://site-${state}.test`]);
  await succeed(build(moved.out, { from: 0, base: 0 }));
  const captured = at('snapshot/data');
  return [
    site('build, a few files', (out, state) => build(out, { from: state, base: 0 })),
    site('build, all files', (out, state) => build(out, { from: 0, base: state })),
    site('build from an upstream', (out, state) => [
      ...['build', '--source', 'rest', '--upstream', upstream, '--cache', `${out}-cache`, '--quiet'],
      ...['--max-shrink', '100', '--base-url', `https://site-${state}.test`, '--out', out],
    ]),
    site('mirror', (out, state) => ['mirror', `${address}/served-${state}`, out, '--max-shrink', '100']),
    moved,
    {
      name: 'snapshot',
      out: captured,
      args: (state) => [
        ...['snapshot', '--source', 'snapshot', '--upstream', data[state] ?? '', '--data', captured],
      ],
      check: ['diff', captured, captured],
      digest: () => siteDigest(captured),
    },
  ];
}

async function prepare(folder: string, subject: Subject): Promise<Ground> {
  const { name, out, args, check, digest } = subject;
  const digests: (string | undefined)[] = [];
  for (const state of [1, 0] as const) {
    await succeed(args(state));
    digests[state] = digest();
  }
  return {
    ...subject,
    folder,
    next() {
      const before = digest();
      const state = before === digests[0] ? 1 : 0;
      return {
        run: (options) => run(args(state), options),
        async survive(how, { code }) {
          const what = `${name}, ${how}`;
          const checked = await run(check);
          const isBetween = checked.code === 1 && checked.stderr.includes('is being changed');
          demand(
            checked.code === 0 || isBetween,
            `${what}: ${check[0]} ended with ${checked.code}: ${checked.stderr}`,
          );
          const now = digest();
          const isOld = code !== 0 && now === before;
          demand(now === digests[state] || isOld, `${what}: neither the old state nor the new one`);
          const again = await run(args(state));
          demand(again.code === 0, `${what}: the next run fails: ${again.stderr}`);
          demand(digest() === digests[state], `${what}: the next run makes another state`);
          demand(leftovers(out).length === 0, `${what}: left ${leftovers(out).join(', ')}`);
        },
      };
    },
  };
}
