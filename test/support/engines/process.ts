import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../loopback.ts';
import type { RunningEngine } from './engine.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cleanUp?: () => void;
}

const START_MS = 30_000;
const STOP_MS = 5000;

export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer());
  await stop();
  return port;
}

/**
 * Starts a program in the foreground and waits until it responds to HTTP requests.
 * If it ends before that, or does not respond in time, throws an error with the last
 * lines that it printed.
 */
export async function startProgram(program: Program): Promise<RunningEngine> {
  const { command, args, url, env, cleanUp } = program;
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    // Stopping the process group also stops the program's children.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-4000);
    });
  }
  /** A description of how the program ended. Undefined while it is running. */
  let end: string | undefined;
  const ended = once(child, 'exit')
    .catch((error) => [error])
    .then(([reason]) => {
      end = `ended with ${reason}`;
    });

  function kill(signal: NodeJS.Signals): void {
    if (child.pid === undefined || end !== undefined) return;
    process.kill(-child.pid, signal);
  }
  async function stop(): Promise<void> {
    kill('SIGTERM');
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    kill('SIGKILL');
    await ended;
    cleanUp?.();
  }

  const deadline = Date.now() + START_MS;
  while (!end && Date.now() < deadline) {
    if (await responds(url)) return { url, stop };
    await sleep(50);
  }
  const problem = end ?? 'does not respond';
  await stop();
  throw new Error(`${command} ${problem}\n${output}`);
}

async function responds(url: string): Promise<boolean> {
  const response = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
  await response?.arrayBuffer();
  return response !== undefined;
}
