import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Finished {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly cwd?: string | undefined;
  /** All environment variables except PATH. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A process whose output is read as text. */
export interface RunningProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly finished: Promise<Finished>;
}

export function startProcess(
  [program = '', ...args]: readonly string[],
  { cwd, env = {} }: ProcessOptions = {},
): RunningProcess {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part) => {
      text[name] += part;
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { child, finished };
}
