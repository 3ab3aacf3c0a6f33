/**
 * The lock admits one build per folder. It names a process and where that process runs, because a process id means nothing on
 * another host or in another container.
 */

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, explainFailure, openTrusted, readStatus, readText } from '../files.ts';
import type { WorkPaths } from './work-paths.ts';

const RENEW_MS = 30_000;
const STALE_MS = 600_000;
/** How long a lock may stay empty, where it cannot be linked into place. */
const EMPTY_MS = 3000;

const ownerSchema = z.object({
  host: z.string(),
  /** Empty in most containers. */
  machine: z.string(),
  boot: z.string(),
  /** Every container has its own namespace of process ids. */
  namespace: z.string(),
  pid: z.int().positive(),
});
export type LockOwner = z.infer<typeof ownerSchema>;

export function describeProcess(): LockOwner {
  const tryRead = (read: () => string): string => attempt(read)?.trim() ?? '';
  return {
    host: os.hostname(),
    machine: tryRead(() => readFileSync('/etc/machine-id', 'utf8')),
    boot: tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    namespace: tryRead(() => readlinkSync(`/proc/${process.pid}/ns/pid`)),
    pid: process.pid,
  };
}

export interface Lock {
  isHeld(): boolean;
  /** @throws OutputError if another build holds the lock by now */
  assertHeld(): void;
  release(): void;
}

/** Locks of this process, because its own process id in a lock proves nothing: ids are reused. */
const heldLocks = new Set<string>();

/**
 * Takes the lock of a folder, and renews it until it is released.
 *
 * @param takeLock whether to break the lock of a process on another host or in another container
 * @throws OutputError if another build holds the lock
 */
export function acquireLock(paths: WorkPaths, takeLock = false): Lock {
  const { lock: file, name, out } = paths;
  const text = `${JSON.stringify({ ...describeProcess(), id: randomUUID() })}\n`;
  const hint = `The lock and the new files are kept next to the folder until they are renamed: ${path.dirname(file)} must be writable.`;
  explainFailure('cannot be locked', name, () => take(paths, text, takeLock), hint);
  heldLocks.add(file);
  // Checked before each file, so without the checks of a lock that another process created.
  const isHeld = (): boolean => attempt(() => readFileSync(file, 'utf8'), 'ENOENT') === text;
  let renewed = Date.now();
  const renew = (): void => {
    renewed = Date.now();
    attempt(() => writeFirstByte(out, file, text));
  };
  const timer = setInterval(() => attempt(isHeld) && renew(), RENEW_MS).unref();
  return {
    isHeld,
    assertHeld() {
      if (!isHeld()) throw lostLock(paths);
      // Timers do not fire during synchronous work. The clock may have been set back.
      if (Math.abs(Date.now() - renewed) >= RENEW_MS) renew();
    },
    release() {
      clearInterval(timer);
      heldLocks.delete(file);
      // A process without a free file descriptor cannot read its lock.
      if (attempt(isHeld) ?? true) attempt(() => unlinkSync(file));
    },
  };
}

/** Sets the mtime of a lock by the clock of its file system. All locks start with the same byte, in case this is another one by now. */
function writeFirstByte(out: string, file: string, text: string): void {
  const descriptor = openTrusted(out, file, constants.O_WRONLY);
  writeSync(descriptor, text.slice(0, 1));
  closeSync(descriptor);
}

function lostLock({ lock, name }: WorkPaths): OutputError {
  const owner = parseOwner(attempt(() => readLock(lock)));
  const by = owner && `was taken over by another build (process ${owner.pid} on ${owner.host})`;
  return new OutputError(`the lock of this build ${by ?? 'is gone (ENOENT)'}`, name, {
    hint: 'Its staged files belong to the build that holds the lock. Run it again when no other build is running.',
  });
}

function take(paths: WorkPaths, text: string, takeLock: boolean): void {
  const { lock: file } = paths;
  const draft = `${file}-${randomUUID()}`;
  const until = performance.now() + EMPTY_MS;
  try {
    for (;;) {
      writeFileSync(draft, text);
      if (attempt(() => create(file, draft, text), 'EEXIST')) return;
      const current = readLock(file);
      if (!current && performance.now() < until) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        continue;
      }
      assertBreakable(paths, current, { draft, takeLock });
      // If two builds break the same lock, the first one notices at its next check.
      if (readLock(file) === current) renameSync(draft, file);
      if (readLock(file) === text) return;
    }
  } finally {
    attempt(() => unlinkSync(draft));
  }
}

/** Links the complete lock into place, so that a kill never leaves an empty one. Throws EEXIST if there is a lock already. */
function create(file: string, draft: string, text: string): true {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // File systems without hard links report this with various codes. Any other error recurs here.
    writeFileSync(file, text, { flag: 'wx' });
  }
  return true;
}

/** @param draft a file that was just written on the same file system, because the clocks of machines differ */
function assertBreakable(
  { lock, name }: WorkPaths,
  text: string | undefined,
  { draft, takeLock }: { draft: string; takeLock: boolean },
): void {
  const owner = parseOwner(text);
  const state = heldLocks.has(lock) ? 'ours' : owner ? ownerState(owner, describeProcess()) : 'gone';
  const [renewed, now] = [readStatus(lock)?.mtime ?? new Date(), readStatus(draft)?.mtime ?? new Date()];
  // A lock from the far future is stale, too: the clock has been set back since.
  const isStale = Math.abs(now.getTime() - renewed.getTime()) > STALE_MS;
  if (state === 'gone' || (isStale && state !== 'ours') || (takeLock && state === 'elsewhere')) return;
  const isElsewhere = state === 'elsewhere';
  const where = isElsewhere ? ` on ${owner?.host}, renewed ${renewed.toISOString()}` : '';
  throw new OutputError(`locked by another build (process ${owner?.pid}${where}): ${lock}`, name, {
    hint: isElsewhere
      ? 'Wait for it to finish. The lock of a killed build expires in 10 minutes, or now with --take-lock.'
      : 'Wait for it to finish, or choose another folder with --out.',
  });
}

export function ownerState(owner: LockOwner, own: LockOwner): 'running' | 'gone' | 'elsewhere' {
  if ((['host', 'machine', 'namespace'] as const).some((key) => owner[key] !== own[key])) return 'elsewhere';
  // Two containers may have the same name, and neither has a machine id.
  if (owner.boot !== own.boot) return own.machine === '' ? 'elsewhere' : 'gone';
  if (owner.pid === own.pid) return 'gone';
  try {
    process.kill(owner.pid, 0);
    return 'running';
  } catch (error) {
    return errorCode(error) === 'ESRCH' ? 'gone' : 'running';
  }
}

/** Undefined if it does not exist. */
const readLock = (file: string): string | undefined =>
  attempt(() => readText(path.dirname(file), path.basename(file)), 'ENOENT');

const parseOwner = (text = ''): LockOwner | undefined => ownerSchema.safeParse(parseJson(text)).data;
