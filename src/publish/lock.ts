import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode, OutputError } from '../errors.ts';
import {
  attempt,
  explainFailure,
  openTrusted,
  readStatus,
  readText,
} from '../files.ts';
import type { Permissions } from './permissions.ts';
import type { WorkPaths } from './work-paths.ts';

const RENEW_MS = 30_000;
const STALE_MS = 600_000;
/**
 * The time to wait for an empty lock file to be filled. On file systems without hard
 * links, another build creates its lock file first and writes to it afterwards.
 */
const EMPTY_MS = 3000;
const EMPTY_CHECK_MS = 10;

/**
 * The process that owns a lock. A process id is unique only within one boot of one
 * machine, and within one container.
 */
const ownerSchema = z.object({
  host: z.string(),
  machine: z.string(),
  boot: z.string(),
  namespace: z.string(),
  pid: z.int().positive(),
});
export type LockOwner = z.infer<typeof ownerSchema>;

/**
 * Describes this process. Values that the system does not provide are empty strings.
 */
export function describeProcess(): LockOwner {
  const tryRead = (read: () => string): string => attempt(read)?.trim() ?? '';
  const machine = tryRead(() => fs.readFileSync('/etc/machine-id', 'utf8'));
  const boot = tryRead(() =>
    fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'),
  );
  const namespace = tryRead(() => fs.readlinkSync(`/proc/${process.pid}/ns/pid`));
  return { host: os.hostname(), machine, boot, namespace, pid: process.pid };
}

/** This build's lock on a folder. */
export interface Lock {
  /** @throws an error if the lock file cannot be read */
  isHeld(): boolean;
  /**
   * Must be called before each change to the folder.
   *
   * @throws OutputError if another build has taken over the lock
   */
  assertHeld(): void;
  release(): void;
}

/**
 * The paths that a build uses while it holds the lock. Only functions that require
 * this type may change the site.
 */
export interface LockedPaths extends WorkPaths {
  readonly lock: Lock;
  readonly permissions: Permissions;
}

/**
 * The lock files that this process holds. We cannot rely on the process id in a lock
 * file, because the system reuses process ids.
 */
const heldLocks = new Set<string>();

/**
 * Locks a folder by creating a lock file next to it. The file's text is unique to
 * this build, so reading it shows whether we still hold the lock. While we hold it,
 * its mtime is renewed every 30 seconds. A lock older than ten minutes belongs to a
 * build that was killed or suspended, so another build may break it. The build that
 * has lost its lock notices this before its next change.
 *
 * @param takeLock whether to break the lock of any other process
 * @throws OutputError if another build holds the lock
 */
export function acquireLock(paths: WorkPaths, takeLock = false): Lock {
  const { lockFile, name, out } = paths;
  const text = `${JSON.stringify({ ...describeProcess(), id: randomUUID() })}\n`;
  const hint = `The lock and the new files are kept next to the folder until they are renamed: ${path.dirname(lockFile)} must be writable.`;
  explainFailure(
    'cannot be locked',
    name,
    () => claimLock(paths, text, takeLock),
    hint,
  );
  heldLocks.add(lockFile);

  let renewed = Date.now();

  /**
   * This runs before each file is written, so it reads the file without the usual
   * safety checks.
   */
  function isHeld(): boolean {
    const currentText = attempt(() => fs.readFileSync(lockFile, 'utf8'), 'ENOENT');
    return currentText === text;
  }

  /**
   * Writes the first byte again, which makes the file system update the mtime with
   * its own clock. All locks start with the same byte, so this does no damage if
   * another build has just taken over the lock.
   */
  function renew(): void {
    renewed = Date.now();
    const descriptor = attempt(() =>
      openTrusted(out, lockFile, fs.constants.O_WRONLY),
    );
    if (descriptor === undefined) return;
    attempt(() => fs.writeSync(descriptor, text.slice(0, 1)));
    fs.closeSync(descriptor);
  }

  function renewIfHeld(): void {
    if (attempt(isHeld)) renew();
  }

  const timer = setInterval(renewIfHeld, RENEW_MS);
  // The timer must not keep the process alive.
  timer.unref();

  return {
    isHeld,
    assertHeld() {
      if (!isHeld()) throw createLostError(lockFile, name);
      // Timers do not fire during synchronous work, so the lock is renewed here as
      // well. We use the absolute difference because the clock may have been set
      // back.
      const sinceRenewal = Math.abs(Date.now() - renewed);
      if (sinceRenewal >= RENEW_MS) renew();
    },
    release() {
      clearInterval(timer);
      heldLocks.delete(lockFile);
      // If the lock file cannot be read, for example because no file descriptor is
      // free, we assume that we still hold the lock.
      const mayBeHeld = attempt(isHeld) ?? true;
      if (mayBeHeld) attempt(() => fs.unlinkSync(lockFile));
    },
  };
}

function createLostError(lockFile: string, name: string): OutputError {
  const owner = parseOwner(attempt(() => readLock(lockFile)));
  let reason = 'is missing or damaged';
  if (owner) {
    reason = `was taken over by another build (process ${owner.pid} on ${owner.host})`;
  }
  const hint =
    'The staged files now belong to the build that holds the lock. Run this build again when no other build is running.';
  return new OutputError(`the lock of this build ${reason}`, name, { hint });
}

/**
 * Claims the lock. Each attempt writes a complete lock file under a temporary name
 * and links it into place, which fails if another lock exists. If the build that
 * owns the other lock has ended, the draft is renamed over it. An empty lock gets a
 * few seconds to be filled. If another build is faster, the next attempt examines
 * that build's lock.
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
      // If two builds break the same lock, the build that loses it notices at its
      // next check.
      if (readLock(lockFile) === text) return;
    }
  } finally {
    attempt(() => fs.unlinkSync(draft));
  }
}

/**
 * Links the complete lock file into place. This way, a killed process never leaves
 * an empty lock behind.
 *
 * @returns false if another lock exists
 */
function createLock(lockFile: string, draft: string, text: string): boolean {
  try {
    fs.linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  // File systems without hard links report various error codes, so we try to create
  // the file without a link. Any unrelated error will occur here again.
  try {
    fs.writeFileSync(lockFile, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Replaces another build's lock with the draft, unless a third build has already
 * replaced it.
 */
function breakLock(
  lockFile: string,
  draft: string,
  otherText: string | undefined,
): void {
  if (readLock(lockFile) !== otherText) return;
  // Another build's recovery may have removed the draft.
  attempt(() => fs.renameSync(draft, lockFile), 'ENOENT');
}

/**
 * Blocks the whole process, because nothing else may happen before the lock is
 * claimed.
 */
function sleepSync(ms: number): void {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(neverNotified, 0, 0, ms);
}

interface BreakOptions {
  /**
   * A file that was just written to the same file system. We use its mtime as the
   * current time, because clocks differ between machines.
   */
  readonly draft: string;
  /** Whether the user asked to break any lock. */
  readonly takeLock: boolean;
}

/**
 * Checks that another build's lock may be broken: the user asked for it, the lock is
 * stale or damaged, or its process has ended. A lock held by this process is never
 * broken.
 *
 * @throws OutputError if the lock may not be broken
 */
function assertBreakable(
  { lockFile, name }: WorkPaths,
  lockText: string | undefined,
  { draft, takeLock }: BreakOptions,
): void {
  const owner = parseOwner(lockText);
  const renewed = readTime(lockFile);
  const now = readTime(draft);
  // A lock with a time far in the future is stale as well, because the clock has
  // been set back.
  const isStale = Math.abs(now.getTime() - renewed.getTime()) > STALE_MS;
  const isHeldByThisProcess = heldLocks.has(lockFile);
  const isBreakable =
    takeLock || isStale || !owner || hasEnded(owner, describeProcess());
  if (isBreakable && !isHeldByThisProcess) return;
  const by = `process ${owner?.pid} on ${owner?.host}, renewed ${renewed.toISOString()}`;
  const hint =
    'Wait for it to finish, or choose another folder. If that build was killed, its lock expires after 10 minutes; use --take-lock to break the lock now.';
  throw new OutputError(`locked by another build (${by}): ${lockFile}`, name, {
    hint,
  });
}

/** Returns the file's mtime, or the current time if the file no longer exists. */
const readTime = (file: string): Date => readStatus(file)?.mtime ?? new Date();

/**
 * Returns whether the process that wrote a lock has definitely ended. This can be
 * decided only for processes on the same machine and in the same container.
 *
 * @param own a description of this process
 */
export function hasEnded(owner: LockOwner, own: LockOwner): boolean {
  const isSameMachine = owner.host === own.host && owner.machine === own.machine;
  if (!isSameMachine || owner.namespace !== own.namespace) return false;
  if (owner.boot !== own.boot) {
    // Two containers may have the same host name, and many containers have no
    // machine id.
    return own.machine !== '';
  }
  // This process has not locked the folder, so the lock is from an earlier process
  // with the same id.
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
