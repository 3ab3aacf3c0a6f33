import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Finished, startProcess } from './processes.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LOOP = fileURLToPath(new URL('command-loop.mjs', import.meta.url));
const KILL_AT = new URL('../../scripts/torture/kill-at.mjs', import.meta.url).href;

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export type Commands = ReturnType<typeof startCommands>;

/** Copies the package without its data. Returns the file of its command line. */
export function installPackage(folder: string): string {
  for (const name of ['dist', 'public', 'package.json'])
    cpSync(path.join(PROJECT, name), path.join(folder, name), { recursive: true });
  return path.join(folder, 'dist/cli.js');
}

/** Runs commands one after the other in one process. */
export function startCommands(cli: string) {
  const child = spawn(process.execPath, [LOOP, cli], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(args: readonly string[], { cwd, env = {} }: CommandOptions): Promise<Finished> {
      child.stdin.write(`${JSON.stringify({ args, cwd, env })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the command ended its process: ${args.join(' ')}`);
      return JSON.parse(value) as Finished;
    },
    close: () => void child.stdin.end(),
  };
}

/** Runs a command that is killed right before it moves the n-th file into a folder. */
export const killAtFile = (
  cli: string,
  args: readonly string[],
  { cwd, env = {}, folder, nth }: CommandOptions & { folder: string; nth: number },
): Promise<Finished> =>
  startProcess([process.execPath, `--import=${KILL_AT}`, cli, ...args], {
    cwd,
    env: { ...env, KILL_AT: `renameSync:${nth}`, KILL_PATHS: `gamedata-staging/site/\\S+ ${folder}/` },
  }).finished;
