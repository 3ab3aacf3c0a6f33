import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { type Finished, type ProcessOptions, startProcess } from './processes.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const cliCommand = [process.execPath, CLI] as const;

export interface CliOptions extends ProcessOptions {
  /** A redirection in shell syntax. */
  readonly redirect?: string;
}

/** Starts the compiled command line without the tests' environment variables. */
export function startCli(
  args: readonly string[],
  { redirect, ...options }: CliOptions = {},
) {
  const command = [...cliCommand, ...args];
  return startForTest(
    redirect ? ['sh', '-c', `exec "$0" "$@" ${redirect}`, ...command] : command,
    options,
  );
}

/** Starts a program that is killed when the test ends. */
function startForTest(command: readonly string[], options?: ProcessOptions) {
  const started = startProcess(command, options);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

export const runProgram = (
  command: readonly string[],
  options?: ProcessOptions,
): Promise<Finished> => startForTest(command, options).finished;

export const runCli = (
  args: readonly string[],
  options?: CliOptions,
): Promise<Finished> => startCli(args, options).finished;

/** Runs the source in this process, which is much faster. */
export async function callCli(
  args: readonly string[],
  { env = {}, cwd }: ProcessOptions = {},
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
  if (cwd !== undefined) process.chdir(cwd);
  try {
    await run(args);
    return { code: Number(process.exitCode ?? 0), ...text };
  } finally {
    process.exitCode = undefined;
    process.env = outer.env;
    process.argv = outer.argv;
    if (cwd !== undefined) process.chdir(outer.cwd);
    for (const spy of spies) spy.mockRestore();
  }
}
