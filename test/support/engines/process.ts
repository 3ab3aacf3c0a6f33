/** What engines that are programs share: a free port, waiting until they answer, and an end that leaves nothing behind. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { listen } from '../loopback.ts';
import type { RunningEngine } from './engine.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it will answer. */
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What has to be removed when it has ended. */
  readonly cleanUp?: () => void;
}

const START_MS = 30_000;

/** A port of loopback that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer());
  await stop();
  return port;
}

/** Starts a program in the foreground and waits until it answers HTTP, whatever the response is. */
export async function startProgram({ command, args, url, env, cleanUp }: Program): Promise<RunningEngine> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: what it starts itself is stopped with it.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-4000);
    });
  }
  const stop = async (): Promise<void> => {
    await end(child);
    cleanUp?.();
  };
  try {
    await once(child, url);
  } catch (error) {
    await stop();
    throw new Error(`${command}: ${error instanceof Error ? error.message : error}\n${output}`);
  }
  return { url, stop };
}

async function once(child: ChildProcess, url: string): Promise<void> {
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (failure) throw failure;
    if (child.exitCode !== null) throw new Error(`ended with exit code ${child.exitCode}`);
    if (await answers(url)) return;
    await setTimeout(50);
  }
  throw new Error(`does not answer after ${START_MS / 1000} seconds`);
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  signalGroup(child.pid, 'SIGTERM');
  const waited = setTimeout(5000, 'late', { ref: false });
  if ((await Promise.race([ended, waited])) === 'late') {
    signalGroup(child.pid, 'SIGKILL');
    await ended;
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}
