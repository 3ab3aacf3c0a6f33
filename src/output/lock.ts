/** The lock: one build at a time per folder. A lock whose process has died is stale, and is taken over. */

import { closeSync, linkSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import fsExtra from 'fs-extra';
import { errorCode, OutputError } from '../errors.ts';
import type { WorkFolders } from './work-folders.ts';

/** The locks that this process holds. Its own process id in a lock proves nothing: ids are reused. */
const held = new Set<string>();

/**
 * Takes the lock, and returns the function that releases it.
 *
 * @throws OutputError if a running process holds it
 */
export function acquireLock({ lock: file, name: target }: WorkFolders): () => void {
  try {
    take(file, target);
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    throw new OutputError(`cannot be locked (${errorCode(cause)})`, target, { cause });
  }
  held.add(file);
  return () => {
    held.delete(file);
    try {
      fsExtra.removeSync(file);
    } catch {
      // It is stale as soon as this process ends.
    }
  };
}

function take(file: string, target: string): void {
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  for (let attempt = 1; ; attempt++) {
    try {
      make(file, own);
      // A process that was suspended here for longer than others wait finds its lock taken over.
      if (readIfThere(file) === own) return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt > 3) throw error;
      removeStale(file, target);
    }
  }
}

function make(file: string, own: string): void {
  const lock = openSync(file, 'wx');
  try {
    writeSync(lock, own);
  } catch (error) {
    // For example, the disk is full.
    fsExtra.removeSync(file);
    throw error;
  } finally {
    closeSync(lock);
  }
}

function removeStale(file: string, target: string): void {
  const holder = holderOf(file);
  if (holder === undefined) return;
  const [pid = '', start = ''] = holder.trim().split(' ');
  if (held.has(file) || isAlive(Number(pid), start)) {
    throw new OutputError(`locked by another build (process ${pid})`, target, {
      hint: 'Wait for it to finish, or choose another folder with --out.',
    });
  }
  // Two builds may find the same stale lock: one that moved a lock other than the stale one puts it back.
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== holder) linkSync(aside, file);
  unlinkSync(aside);
}

/** The content of a lock. It is empty from its creation until it is written: for a moment, or forever if the process was killed there. */
function holderOf(file: string): string | undefined {
  const until = performance.now() + 2000;
  for (;;) {
    const holder = readIfThere(file);
    if (holder !== '' || performance.now() > until) return holder;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function isAlive(pid: number, start: string): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return startOf(pid) === start;
}

/** When a process started, if the system tells: process ids are reused. */
function startOf(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: field 22, counted from after the command's name.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-';
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
