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
 * Locks a folder for this process. Opens the folder, and lets the program `flock` lock
 * the open descriptor, because Node has no such function. The lock belongs to the
 * descriptor, so it stays when `flock` ends.
 *
 * The kernel releases the lock when this process ends, however it ends, and knows it in
 * every container. Therefore there is no lock file that a killed build could leave
 * behind.
 *
 * @throws HeldLockError if another build holds the lock
 */
export function lockFolder(folder: string): Lock {
  const descriptor = openSync(folder, 'r');
  // In the program, the descriptor has the number 3, because it is the fourth in `stdio`.
  // BusyBox knows only the short option.
  const { status, stderr, error } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  const release = (): void => closeSync(descriptor);
  if (status === 0) return { notice: undefined, release };
  const problem = errorCode(error) || stderr.trim();
  // BusyBox exits with 1 for every error, but it is silent only if the lock is held.
  const isHeld = status === 1 && problem === '';
  if (isHeld) {
    release();
    const hint = 'Wait until it has finished, or choose another folder.';
    throw new HeldLockError(
      'output',
      `${folder}: another build is publishing there`,
      { hint },
    );
  }
  const reason = problem || `status ${status}`;
  const notice = `two builds at once are not detected in ${folder}, because it cannot be locked with flock (${reason})`;
  return { notice, release };
}
