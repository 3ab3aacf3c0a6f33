/** The compiled package in a folder of its own, with bundled data of its own, and its command line. */

import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Finished, startProcess } from './processes.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LOOP = fileURLToPath(new URL('command-loop.mjs', import.meta.url));
const DIE_AT = new URL('../../scripts/torture/die-at.mjs', import.meta.url).href;

export interface CommandOptions {
  readonly cwd: string;
  readonly umask?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Commands {
  run(args: readonly string[], options: CommandOptions): Promise<Finished>;
  close(): void;
}

/** Copies the package without its data. Returns its command line's file. */
export function installPackage(folder: string): string {
  for (const name of ['dist', 'public', 'package.json'])
    cpSync(path.join(PROJECT, name), path.join(folder, name), { recursive: true });
  return path.join(folder, 'dist/cli.js');
}

/** Runs command lines one after the other in one process, each with its own umask, working folder and environment. */
export function startCommands(cli: string): Commands {
  const child = spawn(process.execPath, [LOOP, cli], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(args, { cwd, umask = 0o022, env = {} }) {
      child.stdin.write(`${JSON.stringify({ args, cwd, env, umask })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the command ended its process: ${args.join(' ')}`);
      return JSON.parse(value) as Finished;
    },
    close: () => void child.stdin.end(),
  };
}

/** Runs a command line in a process that is killed right before it puts the n-th file into a folder. */
export function killAtFile(
  cli: string,
  args: readonly string[],
  { cwd, umask = 0o022, env = {}, folder, nth }: CommandOptions & { folder: string; nth: number },
): Promise<Finished> {
  const command = `umask ${umask.toString(8)} && exec "$0" "$@"`;
  return startProcess(['sh', '-c', command, process.execPath, `--import=${DIE_AT}`, cli, ...args], {
    cwd,
    env: { ...env, DIE_AT: `renameSync:${nth}`, DIE_INSIDE: folder },
  }).finished;
}
