/** The lock: one build at a time per folder. A lock whose process is known to have ended is stale, and is taken over. */

import { linkSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, OutputError } from '../errors.ts';
import { readText } from '../files.ts';
import { decodeHolder, encodeHolder, stateOf, thisProcess } from './lock-holder.ts';
import type { WorkFolders } from './work-folders.ts';

/** The locks that this process holds. Its own process id in a lock proves nothing: ids are reused. */
const held = new Set<string>();

export interface LockOptions {
  /** Take a lock over if nothing is known of its process, as it runs on another host or in another container. */
  readonly takeLock?: boolean | undefined;
}

/**
 * Takes the lock, and returns the function that releases it.
 *
 * @throws OutputError if a process holds it that may be running
 */
export function acquireLock(folders: WorkFolders, options: LockOptions = {}): () => void {
  const { lock: file, name } = folders;
  try {
    take(folders, options);
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    throw new OutputError(`cannot be locked (${errorCode(cause)})`, name, {
      cause,
      hint: `The lock and the new files are kept beside the folder until they are renamed: ${path.dirname(file)} must be writable.`,
    });
  }
  held.add(file);
  return () => {
    held.delete(file);
    try {
      unlinkSync(file);
    } catch {
      // It is stale as soon as this process ends.
    }
  };
}

function take(folders: WorkFolders, options: LockOptions): void {
  const { lock: file } = folders;
  const own = encodeHolder(thisProcess());
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(file, own, { flag: 'wx' });
      // A process that was suspended here for longer than others wait finds its lock taken over.
      if (readIfThere(file) === own) return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || attempt > 3) {
        // A disk may have room for the file, and none for what is in it.
        if (readIfThere(file) === '') unlinkSync(file);
        throw error;
      }
      const text = readFilled(file);
      if (text === undefined) continue;
      refuseHeld(text, folders, options);
      removeStale(file, text);
    }
  }
}

/** Two builds may find the same stale lock: one that moved a lock other than the stale one puts it back. */
function removeStale(file: string, text: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== text) linkSync(aside, file);
  unlinkSync(aside);
}

function refuseHeld(text: string, { lock: file, name }: WorkFolders, { takeLock }: LockOptions): void {
  const holder = decodeHolder(text);
  const state = held.has(file) ? 'running' : holder ? stateOf(holder, thisProcess()) : 'gone';
  if (state === 'running')
    throw new OutputError(`locked by another build (process ${holder?.pid})`, name, {
      hint: 'Wait for it to finish, or choose another folder with --out.',
    });
  if (state === 'gone' || takeLock) return;
  const since = statSync(file, { throwIfNoEntry: false })?.mtime.toISOString();
  throw new OutputError(
    `locked by a build on another host or in another container (process ${holder?.pid} on ${holder?.host}, since ${since}): ${file}`,
    name,
    { hint: 'Wait for it to finish. If it is known to have ended, take its lock over with --take-lock.' },
  );
}

/** The content of a lock. It is empty from its creation until it is written: for a moment, or forever if the process was killed there. */
function readFilled(file: string): string | undefined {
  const until = performance.now() + 2000;
  for (;;) {
    const text = readIfThere(file);
    if (text !== '' || performance.now() > until) return text;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readText(path.dirname(file), path.basename(file));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
