/** Runs whole processes and measures them from outside, by a small Python program that does nothing else meanwhile. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The kernel's own figures of an ended process (`wait4`). */
export interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most resident memory. */
  readonly megabytes: number;
  readonly stdout: string;
}

export interface Runner {
  /** @throws if the exit code is not 0, with what the program said */
  run(command: readonly string[], cwd?: string): Promise<Run>;
  stop(): void;
}

const PROGRAM = fileURLToPath(new URL('./programs/run.py', import.meta.url));

export const hasPython = (): boolean => spawnSync('python3', ['--version']).status === 0;

/** Every build says the same day, and loopback needs no proxy. */
const fixed = { NO_PROXY: '127.0.0.1', SOURCE_DATE_EPOCH: '1767225600' };

/** What is measured is told nothing of whoever runs the benchmark, whose NODE_EXTRA_CA_CERTS alone doubles Node's start. */
const plainEnvironment = { PATH: process.env.PATH, HOME: process.env.HOME, ...fixed };

/** What would make it other work is omitted. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const { BASE_URL, URL, DEPLOY_PRIME_URL, NODE_OPTIONS, ...rest } = process.env;
  return { ...rest, ...fixed };
}

/**
 * @param folder where programs may keep their output
 * @param inherit whether programs get the environment of this one
 */
export function startRunner({ folder, inherit }: { folder: string; inherit: boolean }): Runner {
  const env = inherit ? inheritedEnvironment() : plainEnvironment;
  // A process group of its own: what it runs at the moment ends with it.
  const child = spawn('python3', [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stopped = false;
  const stdout = path.join(folder, 'stdout');
  const stderr = path.join(folder, 'stderr');
  return {
    async run(command, cwd = folder) {
      child.stdin.write(`${JSON.stringify({ command, cwd, env, stdout, stderr })}\n`);
      const answer = await answers.next();
      if (answer.done) throw new Error(`${command[0]}: the program that runs it has ended`);
      const { code, ...run } = JSON.parse(answer.value);
      if (code === 0) return { ...run, stdout: readFileSync(stdout, 'utf8') };
      throw new Error(`${command.join(' ')}: exit code ${code}\n${readFileSync(stderr, 'utf8')}`);
    },
    stop() {
      if (stopped || child.pid === undefined || child.exitCode !== null) return;
      stopped = true;
      process.kill(-child.pid, 'SIGKILL');
    },
  };
}
