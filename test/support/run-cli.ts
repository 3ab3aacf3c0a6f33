/** The compiled command line as a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Finished {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Everything in the environment beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A redirection, as shells write it. */
  readonly redirect?: string;
}

/** Starts it, in an environment that says nothing of whoever runs the tests. */
export function startCli(args: readonly string[], { env = {}, cwd, redirect }: CliOptions = {}) {
  const command = [process.execPath, CLI, ...args];
  const [program = '', ...rest] = redirect ? ['sh', '-c', `exec "$0" "$@" ${redirect}`, ...command] : command;
  const child: ChildProcess = spawn(program, rest, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (part) => {
    text.stdout += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part) => {
    text.stderr += part;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { child, finished };
}

export const runCli = (args: readonly string[], options?: CliOptions): Promise<Finished> =>
  startCli(args, options).finished;
