import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../src/contract/meta.ts';
import {
  CHANGES_FILE,
  DATA_FOLDER,
  FEED_FILE,
  MOVED_FILE,
} from '../../src/contract/paths.ts';
import {
  type Finished,
  type ProcessOptions,
  type RunningProcess,
  startProcess,
} from '../support/processes.ts';
import { rawRecords, type SomeRecords } from '../support/sites.ts';
import {
  createStoredData,
  writeDataSet as writeStoredData,
} from '../support/stored-data.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const KILL_AT = new URL('../support/kill-at.mjs', import.meta.url).href;

export interface StartOptions extends ProcessOptions {
  /** A command that starts Node, such as a shell with a limit. */
  readonly wrap?: readonly string[];
}

/** Starts a gamedata command. */
export function start(
  args: readonly string[],
  options: StartOptions = {},
): RunningProcess {
  const { wrap = [], ...processOptions } = options;
  return startProcess([...wrap, process.execPath, CLI, ...args], processOptions);
}

export function run(
  args: readonly string[],
  options?: StartOptions,
): Promise<Finished> {
  return start(args, options).finished;
}

/** Permits every change of the records and names. */
export const ACCEPT = [
  ...['--max-shrink', '100'],
  ...['--allow-missing', 'names/en', 'names/fr'],
];

/** Creates the arguments of a build that publishes a data set. */
export function createBuildArgs(
  data: string,
  out: string,
  ...moreOptions: readonly string[]
): string[] {
  const source = ['--source', 'snapshot', '--upstream', data];
  return ['build', ...source, '--out', out, '--quiet', ...ACCEPT, ...moreOptions];
}

/** Writes a data set. Records with an odd id differ in each variant. */
export function writeDataSet(
  folder: string,
  records: number,
  variant: number,
): string {
  const { move: moves, item: items } = rawRecords(records, records);
  const changed: SomeRecords = {
    move: moves.map((move) => {
      if (move.id % 2 === 0) return move;
      return { ...move, generation: variant };
    }),
    item: items.map((item) => {
      if (item.id % 2 === 0) return item;
      return { ...item, englishName: `Item ${item.id} of ${variant}` };
    }),
  };
  return writeStoredData(createStoredData(changed), folder);
}

/**
 * Hashes the manifest of the site or data set that commands see, without files that
 * depend on earlier builds.
 */
export function digestSite(out: string): string | undefined {
  const staged = path.join(out, '.gamedata/next');
  const candidates: string[] = [];
  for (const folder of [staged, out]) {
    candidates.push(path.join(folder, 'manifest.json'));
    candidates.push(path.join(folder, 'dataset.json'));
  }
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file === undefined) return undefined;
  const { files }: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  const historyFiles = [CHANGES_FILE, FEED_FILE, MOVED_FILE];
  const entries = files.filter(({ path: listed }) => {
    const isHistory = historyFiles.includes(listed);
    return !isHistory && !listed.startsWith(DATA_FOLDER);
  });
  return hash('sha256', JSON.stringify(entries));
}

/** Throws if a command left its work folder in a site, or a file next to it. */
export function demandClean(out: string, what = ''): void {
  const strays = readdirSync(path.dirname(out)).filter((name) =>
    name.startsWith('.'),
  );
  if (existsSync(path.join(out, '.gamedata'))) strays.push('.gamedata');
  demand(strays.length === 0, `${what}left ${strays.join(', ')}`);
}

export function demand(isTrue: boolean, problem: string): asserts isTrue {
  if (!isTrue) throw new Error(problem);
}

export async function mustRun(
  args: readonly string[],
  options?: StartOptions,
): Promise<void> {
  const { code, stderr } = await run(args, options);
  demand(code === 0, `${args[0]} ended with ${code}, expected 0: ${stderr}`);
}

/** The result of a part of the torture run. */
export interface Ended {
  readonly tried: number;
  /** A summary of the attempts, such as `recovered`. */
  readonly summary: string;
  readonly problems?: readonly string[];
}
