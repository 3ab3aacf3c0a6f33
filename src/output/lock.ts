/** The lock: one build at a time into one folder; what a killed build left behind does not count. */

import { linkSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
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
      writeFileSync(file, own, { flag: 'wx' });
      held.add(file);
      return () => {
        held.delete(file);
        rmSync(file, { force: true });
      };
    } catch (cause) {
      // On a full disk the lock was made, and could not be filled.
      if (['ENOSPC', 'EDQUOT'].includes(errorCode(cause))) rmSync(file, { force: true });
      if (errorCode(cause) !== 'EEXIST' || attempt > 3)
        throw new OutputError(`cannot be locked (${errorCode(cause)})`, target, { cause });
      removeStale(file, target);
    }
  }
}

function removeStale(file: string, target: string): void {
  const holder = readIfThere(file);
  if (holder === undefined) return;
  const [pid = '', start = ''] = holder.trim().split(' ');
  // Between its making and its filling a lock is empty for a moment.
  const isNew =
    holder === '' && Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 5000;
  if (isNew || held.has(file) || isAlive(Number(pid), start)) {
    throw new OutputError(`another build is writing here${isNew ? '' : ` (process ${pid})`}`, target, {
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
