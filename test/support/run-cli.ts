/** The command line: compiled, as a process of its own, or from its source in this one, which is much faster. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const cliCommand = [process.execPath, CLI] as const;

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
  const command = [...cliCommand, ...args];
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

/** The same in this process, for what does not depend on how it starts, is killed or writes to pipes. */
export async function callCli(
  args: readonly string[],
  { env = {}, cwd = '.' }: Omit<CliOptions, 'redirect'> = {},
): Promise<Finished> {
  const text = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((part) => {
      text[name] += String(part);
      return true;
    }),
  );
  const outer = { env: process.env, cwd: process.cwd() };
  process.env = { PATH: process.env.PATH, ...env };
  process.chdir(cwd);
  try {
    await run(args);
    return { code: Number(process.exitCode ?? 0), ...text };
  } finally {
    process.exitCode = undefined;
    process.env = outer.env;
    process.chdir(outer.cwd);
    for (const spy of spies) spy.mockRestore();
  }
}
