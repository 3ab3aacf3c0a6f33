/** The command line: compiled, as a process of its own, or from its source in this one, which is much faster. */

import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { type Finished, type ProcessOptions, startProcess } from './processes.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const cliCommand = [process.execPath, CLI] as const;

export interface CliOptions extends ProcessOptions {
  /** A redirection, as shells write it. */
  readonly redirect?: string;
}

/** Starts it, in an environment that says nothing of whoever runs the tests. */
export function startCli(args: readonly string[], { redirect, ...options }: CliOptions = {}) {
  const command = [...cliCommand, ...args];
  return startForTest(redirect ? ['sh', '-c', `exec "$0" "$@" ${redirect}`, ...command] : command, options);
}

/** Starts a program, which ends with the test at the latest. */
function startForTest(command: readonly string[], options?: ProcessOptions) {
  const started = startProcess(command, options);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

export const runProgram = (command: readonly string[], options?: ProcessOptions): Promise<Finished> =>
  startForTest(command, options).finished;

export const runCli = (args: readonly string[], options?: CliOptions): Promise<Finished> =>
  startCli(args, options).finished;

/** The same in this process, for what does not depend on how it starts, is killed or writes to pipes. */
export async function callCli(
  args: readonly string[],
  { env = {}, cwd = '.' }: ProcessOptions = {},
): Promise<Finished> {
  const text = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((part) => {
      text[name] += String(part);
      return true;
    }),
  );
  const outer = { env: process.env, cwd: process.cwd(), argv: process.argv };
  process.argv = [process.execPath, '/bin/gamedata', ...args];
  process.env = { PATH: `/bin:${process.env.PATH}`, ...env };
  process.chdir(cwd);
  try {
    await run(args);
    return { code: Number(process.exitCode ?? 0), ...text };
  } finally {
    process.exitCode = undefined;
    process.env = outer.env;
    process.argv = outer.argv;
    process.chdir(outer.cwd);
    for (const spy of spies) spy.mockRestore();
  }
}
