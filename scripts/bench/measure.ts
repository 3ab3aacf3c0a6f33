/** Measures whole processes in alternation, so that whatever slows the machine down for a while slows all of them. */

import { execFileSync, spawnSync } from 'node:child_process';

/** What was measured, by name: seconds, or what the row of the table says. */
export type Figures = ReadonlyMap<string, number>;

export interface Subject {
  readonly name: string;
  /** The first is measured; the others restore what it began with. */
  readonly commands: readonly (readonly string[])[];
  readonly cwd?: string;
  /** Removed before each run, which is not timed. */
  readonly anew?: readonly string[];
}

/** What is measured is told nothing of whoever runs the benchmark, whose NODE_EXTRA_CA_CERTS alone doubles Node's start. */
const { PATH, HOME } = process.env;
const env = { PATH, HOME, NO_PROXY: '127.0.0.1', SOURCE_DATE_EPOCH: '1767225600' };

/** @throws if the exit code is not 0, with what the program said */
export function run([program = '', ...args]: readonly string[], cwd?: string) {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const seconds = (performance.now() - started) / 1000;
  if (status === 0) return { seconds, stdout, stderr };
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}\n${stderr}`);
}

/** Seconds. */
export const measure = (subjects: readonly Subject[], rounds: number): Figures =>
  medians(rounds, () =>
    subjects.map(({ name, commands: [first = [], ...others], cwd, anew = [] }) => {
      remove(...anew);
      const { seconds } = run(first, cwd);
      for (const command of others) run(command, cwd);
      return [name, seconds];
    }),
  );

/** Of so many rounds, after one for warming up. */
export function medians(rounds: number, round: () => [name: string, figure: number][]): Figures {
  const [names = [], ...all] = Array.from({ length: rounds + 1 }, round);
  const median = (at: number): number =>
    all.map((figures) => figures[at]?.[1] ?? 0).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  return new Map(names.map(([name], at) => [name, median(at)]));
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html: unlike `resourceUsage()`, of the process alone. */
const REPORT_STATUS = `data:text/javascript,import{readFileSync}from'fs';process.on('exit',()=>console.error(readFileSync('/proc/self/status','utf8')))`;

/** The most resident memory of a program for Node, in megabytes. */
export function peakMemory([node = '', ...args]: readonly string[]): number {
  const { stderr } = run([node, '--import', REPORT_STATUS, ...args]);
  return Number(/VmHWM:\s*(\d+) kB/.exec(stderr)?.[1]) / 1024;
}

/** Much faster than Node's own for hundreds of thousands of files. */
export const remove = (...files: string[]): void => void execFileSync('rm', ['-rf', ...files]);
