import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fsExtra from 'fs-extra';
import { manifestReader } from '../../src/contract/meta.ts';
import { CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE } from '../../src/contract/paths.ts';
import { snapshotFiles } from '../../src/sources/snapshot.ts';
import { encodeDataSet } from '../support/decode.ts';
import { type Finished, type ProcessOptions, startProcess } from '../support/processes.ts';
import { dataSetOf, rawRecords, type SomeRecords } from '../support/sites.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const KILL_AT = new URL('./kill-at.mjs', import.meta.url).href;

export interface StartOptions extends ProcessOptions {
  /** A command that starts Node, such as a shell with a limit. */
  readonly wrap?: readonly string[];
}

export const start = (args: readonly string[], { wrap = [], ...options }: StartOptions = {}) =>
  startProcess([...wrap, process.execPath, CLI, ...args], options);

export const run = (args: readonly string[], options?: StartOptions): Promise<Finished> =>
  start(args, options).finished;

/** Writes a data set. Every other record differs in each variant. */
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

/** Hashes the manifest of a site, without files that depend on earlier builds. */
export function digestSite(out: string): string | undefined {
  const file = path.join(out, 'manifest.json');
  if (!existsSync(file)) return undefined;
  const { files } = manifestReader.parse(JSON.parse(readFileSync(file, 'utf8')));
  const history = [CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE];
  return hash('sha256', JSON.stringify(files.filter((entry) => !history.includes(entry.path))));
}

export function demandClean(out: string, what = ''): void {
  const left = readdirSync(path.dirname(out)).filter((name) =>
    name.startsWith(`.${path.basename(out)}.gamedata`),
  );
  demand(left.length === 0, `${what}left ${left.join(', ')}`);
}

export function demand(isTrue: boolean, problem: string): asserts isTrue {
  if (!isTrue) throw new Error(problem);
}

export async function mustRun(args: readonly string[], options?: StartOptions): Promise<void> {
  const { code, stderr } = await run(args, options);
  demand(code === 0, `${args[0]} ended with ${code}, expected 0: ${stderr}`);
}

/** The result of a part of the torture run. */
export interface Ended {
  readonly tried: number;
  readonly summary: string;
  readonly problems?: readonly string[];
}
