import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, explainFailure, openTrusted, readStatus, readText } from '../files.ts';
import type { Permissions } from './permissions.ts';
import type { WorkPaths } from './work-paths.ts';

const RENEW_MS = 30_000;
const STALE_MS = 600_000;
/**
 * How long to wait for an empty lock to be filled. Without hard links, a lock is created first and
 * written afterwards.
 */
const EMPTY_MS = 3000;
const EMPTY_CHECK_MS = 10;

/** A process id is unique only within one boot of one machine, and within one container. */
const ownerSchema = z.object({
  host: z.string(),
  machine: z.string(),
  boot: z.string(),
  namespace: z.string(),
  pid: z.int().positive(),
});
export type LockOwner = z.infer<typeof ownerSchema>;

/** Describes this process. A part that the system does not tell is empty. */
export function describeProcess(): LockOwner {
  const tryRead = (read: () => string): string => attempt(read)?.trim() ?? '';
  const machine = tryRead(() => fs.readFileSync('/etc/machine-id', 'utf8'));
  const boot = tryRead(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = tryRead(() => fs.readlinkSync(`/proc/${process.pid}/ns/pid`));
  return { host: os.hostname(), machine, boot, namespace, pid: process.pid };
}

/** The lock of this build on a folder. */
export interface Lock {
  /** @throws an error if the lock cannot be read */
  isHeld(): boolean;
  /** Called before each change. @throws OutputError if another build has taken the lock over */
  assertHeld(): void;
  release(): void;
}

/** Where a build works while it holds the lock. Only functions that take it may change the site. */
export interface LockedPaths extends WorkPaths {
  readonly lock: Lock;
  readonly permissions: Permissions;
}

/** Locks of this process. Its process id in a lock proves nothing, because ids are reused. */
const heldLocks = new Set<string>();

/**
 * Locks a folder. The lock is a file next to it whose text is unique to this build, so that reading
 * the file tells whether the lock is still held. While it is held, its mtime is renewed every 30
 * seconds. If it is older than ten minutes, its build was killed or suspended, and another build
 * may break it. The build that lost its lock notices before its next change.
 *
 * @param takeLock whether to break the lock of any other process
 * @throws OutputError if another build holds the lock
 */
export function acquireLock(paths: WorkPaths, takeLock = false): Lock {
  const { lockFile, name, out } = paths;
  const text = `${JSON.stringify({ ...describeProcess(), id: randomUUID() })}\n`;
  const hint = `The lock and the new files are kept next to the folder until they are renamed: ${path.dirname(lockFile)} must be writable.`;
  explainFailure('cannot be locked', name, () => claimLock(paths, text, takeLock), hint);
  heldLocks.add(lockFile);

  let renewed = Date.now();

  /** Called before each file, so it skips the checks for another process's lock. */
  function isHeld(): boolean {
    const currentText = attempt(() => fs.readFileSync(lockFile, 'utf8'), 'ENOENT');
    return currentText === text;
  }

  /**
   * Writes the first byte again, because the file system then sets the mtime by its own clock. All
   * locks start with the same byte, so the lock of another build that took over stays intact.
   */
  function renew(): void {
    renewed = Date.now();
    const descriptor = attempt(() => openTrusted(out, lockFile, fs.constants.O_WRONLY));
    if (descriptor === undefined) return;
    attempt(() => fs.writeSync(descriptor, text.slice(0, 1)));
    fs.closeSync(descriptor);
  }

  function renewIfHeld(): void {
    if (attempt(isHeld)) renew();
  }

  const timer = setInterval(renewIfHeld, RENEW_MS);
  // A lock alone does not keep the process alive.
  timer.unref();

  return {
    isHeld,
    assertHeld() {
      if (!isHeld()) throw createLostError(lockFile, name);
      // Timers do not fire during synchronous work. The clock may have been set back.
      const sinceRenewal = Math.abs(Date.now() - renewed);
      if (sinceRenewal >= RENEW_MS) renew();
    },
    release() {
      clearInterval(timer);
      heldLocks.delete(lockFile);
      // A process without a free file descriptor cannot read its lock.
      const mayBeHeld = attempt(isHeld) ?? true;
      if (mayBeHeld) attempt(() => fs.unlinkSync(lockFile));
    },
  };
}

function createLostError(lockFile: string, name: string): OutputError {
  const owner = parseOwner(attempt(() => readLock(lockFile)));
  let reason = 'is missing or damaged';
  if (owner) reason = `was taken over by another build (process ${owner.pid} on ${owner.host})`;
  const hint =
    'The staged files now belong to the build that holds the lock. Run this build again when no other build is running.';
  return new OutputError(`the lock of this build ${reason}`, name, { hint });
}

/**
 * Claims the lock. Each attempt writes the complete lock as a draft and links it into place, which
 * fails if another lock exists. That lock is broken if its build has ended: the draft is renamed
 * over it. An empty lock is given some seconds to be filled. If another build is faster, the next
 * attempt begins with its lock.
 *
 * @throws OutputError if the other build may still be running
 */
function claimLock(paths: WorkPaths, text: string, takeLock: boolean): void {
  const { lockFile } = paths;
  const draft = `${lockFile}-${randomUUID()}`;
  const waitsUntil = performance.now() + EMPTY_MS;
  try {
    for (;;) {
      fs.writeFileSync(draft, text);
      if (createLock(lockFile, draft, text)) return;
      const otherText = readLock(lockFile);
      const mayBeFilled = !otherText && performance.now() < waitsUntil;
      if (mayBeFilled) {
        sleepSync(EMPTY_CHECK_MS);
        continue;
      }
      assertBreakable(paths, otherText, { draft, takeLock });
      breakLock(lockFile, draft, otherText);
      // If two builds break the same lock, the first one notices at its next check.
      if (readLock(lockFile) === text) return;
    }
  } finally {
    attempt(() => fs.unlinkSync(draft));
  }
}

/**
 * Links the complete lock into place, so that a kill never leaves an empty one.
 *
 * @returns whether there was no other lock
 */
function createLock(lockFile: string, draft: string, text: string): boolean {
  try {
    fs.linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  // File systems without hard links report this with various codes. Any other error recurs here.
  try {
    fs.writeFileSync(lockFile, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces another build's lock by the draft, unless a third build was faster. */
function breakLock(lockFile: string, draft: string, otherText: string | undefined): void {
  if (readLock(lockFile) !== otherText) return;
  // The recovery of another build may have removed the draft.
  attempt(() => fs.renameSync(draft, lockFile), 'ENOENT');
}

/** Waits without other work of this process, because nothing may happen before the lock is claimed. */
function sleepSync(ms: number): void {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(neverNotified, 0, 0, ms);
}

interface BreakOptions {
  /**
   * A file just written to the same file system: its mtime serves as the current time, because
   * clocks differ between machines.
   */
  readonly draft: string;
  /** Whether the user wants to break any lock. */
  readonly takeLock: boolean;
}

/**
 * Checks that the lock of another build may be broken: the user wants it, the lock is stale or
 * damaged, or its process has ended. A lock of this process is never broken.
 */
function assertBreakable(
  { lockFile, name }: WorkPaths,
  lockText: string | undefined,
  { draft, takeLock }: BreakOptions,
): void {
  const owner = parseOwner(lockText);
  const renewed = readTime(lockFile);
  const now = readTime(draft);
  // A lock from the far future is stale, too: the clock has been set back since.
  const isStale = Math.abs(now.getTime() - renewed.getTime()) > STALE_MS;
  const isHeldByThisProcess = heldLocks.has(lockFile);
  const isBreakable = takeLock || isStale || !owner || hasEnded(owner, describeProcess());
  if (isBreakable && !isHeldByThisProcess) return;
  const by = `process ${owner?.pid} on ${owner?.host}, renewed ${renewed.toISOString()}`;
  const hint =
    'Wait for it to finish, or choose another folder with --out. If that build was killed, its lock expires after 10 minutes; use --take-lock to break the lock now.';
  throw new OutputError(`locked by another build (${by}): ${lockFile}`, name, { hint });
}

/** Returns the current time if the file is gone. */
const readTime = (file: string): Date => readStatus(file)?.mtime ?? new Date();

/**
 * Whether the process that wrote a lock has certainly ended. Only processes of the same machine and
 * container can be compared.
 *
 * @param own this process
 */
export function hasEnded(owner: LockOwner, own: LockOwner): boolean {
  const isSameMachine = owner.host === own.host && owner.machine === own.machine;
  if (!isSameMachine || owner.namespace !== own.namespace) return false;
  if (owner.boot !== own.boot) {
    // Two containers may have the same name, and neither has a machine id.
    return own.machine !== '';
  }
  // This process has not locked the folder, so an earlier process had the same id.
  if (owner.pid === own.pid) return true;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

const readLock = (file: string): string | undefined =>
  attempt(() => readText(path.dirname(file), path.basename(file)), 'ENOENT');

const parseOwner = (text = ''): LockOwner | undefined =>
  ownerSchema.safeParse(parseJson(text)).data;
