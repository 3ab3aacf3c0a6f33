/** The lock: one build at a time into one folder; what a killed build left behind does not count. */

import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { errorCode, OutputError } from '../errors.ts';
import type { WorkFolders } from './work-folders.ts';

/** The locks that this process holds: its own number in a lock proves nothing, it may have been another's before. */
const held = new Set<string>();

/**
 * Takes the lock, and returns what gives it back.
 *
 * @throws OutputError where a living process holds it
 */
export function acquireLock({ lock: file, name: target }: WorkFolders): () => void {
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  for (let attempt = 1; ; attempt++) {
    try {
      make(file, own);
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST' || attempt > 3)
        throw new OutputError(`cannot be locked (${errorCode(cause)})`, target, { cause });
      removeStale(file, target);
      continue;
    }
    // Whoever is stopped while filling the lock, for longer than others wait, finds it taken.
    if (readIfThere(file) !== own) continue;
    held.add(file);
    return () => {
      held.delete(file);
      rmSync(file, { force: true });
    };
  }
}

function make(file: string, own: string): void {
  const lock = openSync(file, 'wx');
  try {
    writeSync(lock, own);
  } catch (error) {
    // The disk is full.
    rmSync(file, { force: true });
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
    throw new OutputError(`another build is writing here (process ${pid})`, target, {
      hint: 'Wait for it to end, or name another folder with --out.',
    });
  }
  // Two builds may find the same stale lock: whoever moves a lock that is not the stale one puts it back.
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

/** What a lock says. It is empty between its making and its filling: for a moment, or for ever if its maker was killed there. */
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

/** When a process started, where the system tells: numbers of dead processes are given to new ones. */
function startOf(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: field 22, counted behind the command's name.
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
