import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { errorCode, GamedataError } from '../errors.ts';

/** Thrown if another build holds the lock. */
export class HeldLockError extends GamedataError {}

export interface Lock {
  /** A notice if this system cannot lock the folder. */
  readonly notice: string | undefined;
  release(): void;
}

/**
 * Locks a folder, so that only one build at a time publishes there. The kernel releases
 * the lock when this process ends for any reason, and enforces it across containers.
 * Therefore a killed build leaves no lock file behind.
 *
 * If the system or the file system cannot lock the folder, the build continues without
 * a lock, and the result contains a notice.
 *
 * @throws HeldLockError if another build holds the lock
 */
export function lockFolder(folder: string): Lock {
  const descriptor = openSync(folder, 'r');
  const release = (): void => closeSync(descriptor);
  const result = tryToLock(descriptor);
  if (result.state === 'locked') return { notice: undefined, release };
  if (result.state === 'failed') {
    const notice = `two builds at once are not detected in ${folder}, because it cannot be locked with flock (${result.reason})`;
    return { notice, release };
  }
  release();
  throw new HeldLockError('output', `${folder}: another build is publishing there`, {
    hint: 'Wait until it has finished, or choose another folder.',
  });
}

type LockResult =
  | { readonly state: 'locked' }
  /** Another process holds the lock. */
  | { readonly state: 'held' }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * Locks an open folder with the program `flock`, because Node has no function for it.
 * The program inherits the descriptor from this process, and locks it. The lock
 * outlives the program, because this process keeps the folder open.
 */
function tryToLock(descriptor: number): LockResult {
  // `flock` inherits the descriptor after stdin (0), stdout (1) and stderr (2), so its
  // number there is 3. With `-n`, it does not wait for the lock. We do not use the long form
  // of this option, because BusyBox does not know it.
  const { status, stderr, error } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status === 0) return { state: 'locked' };
  // `error` says why the program could not be started, and `stderr` why it failed.
  const problem = errorCode(error) || stderr.trim();
  if (problem !== '') return { state: 'failed', reason: problem };
  // If the lock is held, the program prints nothing and exits with 1.
  if (status === 1) return { state: 'held' };
  return { state: 'failed', reason: `status ${status}` };
}
