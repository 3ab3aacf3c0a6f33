/** Where builds are tortured: one temporary folder, two data sets, and the command line as a process that may be killed. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fsExtra from 'fs-extra';
import { manifestSchema } from '../../src/contract/meta.ts';
import { CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE } from '../../src/contract/paths.ts';
import { snapshotFiles } from '../../src/sources/snapshot.ts';
import { encodeDataSet } from '../../test/support/decode.ts';
import { type Finished, type ProcessOptions, startProcess } from '../../test/support/processes.ts';
import { dataSetOf, rawRecords, type SomeRecords } from '../../test/support/sites.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface StartOptions extends ProcessOptions {
  /** What runs node, such as a shell with a limit. */
  readonly wrap?: readonly string[];
}

/** Starts the compiled command line. */
export const start = (args: readonly string[], { wrap = [], ...options }: StartOptions = {}) =>
  startProcess([...wrap, process.execPath, CLI, ...args], options);

export const run = (args: readonly string[], options?: StartOptions): Promise<Finished> =>
  start(args, options).finished;

/** Writes a data set of so many records, every other one of them different in each variant. */
export function writeDataSet(folder: string, records: number, variant: number): string {
  const raw = rawRecords(records, records);
  const changed: SomeRecords = {
    move: raw.move.map((move) => (move.id % 2 ? { ...move, generation: variant } : move)),
    item: raw.item.map((item) =>
      item.id % 2 ? { ...item, englishName: `Item ${item.id} of ${variant}` } : item,
    ),
  };
  for (const { path: file, body } of snapshotFiles(encodeDataSet(dataSetOf(changed))))
    fsExtra.outputFileSync(path.join(folder, file), body);
  return folder;
}

/** What tells one site from another, but for its history, which says what was there before; undefined if there is none. */
export function siteDigest(out: string): string | undefined {
  const file = path.join(out, 'manifest.json');
  if (!existsSync(file)) return undefined;
  const { files } = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const lasting = files.filter(
    (entry) => ![CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE].includes(entry.path),
  );
  return createHash('sha256').update(JSON.stringify(lasting)).digest('hex');
}

/** What lies beside the site that should not. */
export const leftovers = (out: string): string[] =>
  readdirSync(path.dirname(out)).filter((name) => name.startsWith(`.${path.basename(out)}.gamedata`));

/** Throws unless it is true: what went wrong, in one line. */
export function demand(truth: boolean, problem: string): asserts truth {
  if (!truth) throw new Error(problem);
}

/** Runs what has to succeed. */
export async function succeed(args: readonly string[], options?: StartOptions): Promise<void> {
  const { code, stderr } = await run(args, options);
  demand(code === 0, `${args[0]} ended with ${code}, expected 0: ${stderr}`);
}

/** How a part of the torture ended. */
export interface Ended {
  /** How many faults, kills or requests there were. */
  readonly tried: number;
  /** What they were, and how they ended. */
  readonly says: string;
  readonly problems?: readonly string[];
}
