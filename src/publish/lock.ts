/**
 * The lock: one build at a time per folder. It names a process and where that runs, as process ids mean nothing to another host or
 * container. A lock whose process is known to have ended is stale, and is taken over; so is one from elsewhere that is not renewed.
 */

import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode, OutputError } from '../errors.ts';
import { attempt, explained, readText, statusOf } from '../files.ts';
import { touch, type WorkFolders } from './work-folders.ts';

const holderSchema = z.object({
  host: z.string(),
  /** Identifies the machine; empty in most containers. */
  machine: z.string(),
  /** Changes whenever the machine starts. */
  boot: z.string(),
  /** The process ids among which `pid` counts: every container has its own. */
  namespace: z.string(),
  pid: z.int().positive(),
  /** When the process started, since process ids are reused. */
  start: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

export const thisProcess = (): Holder => ({
  host: os.hostname(),
  machine: told(() => readFileSync('/etc/machine-id', 'utf8').trim()),
  boot: told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  namespace: told(() => readlinkSync(`/proc/${process.pid}/ns/pid`)),
  pid: process.pid,
  start: startOf(process.pid),
});

export const encodeHolder = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

/** Whether a process is at work, as far as can be known from here. */
export function stateOf(holder: Holder, own: Holder): 'running' | 'gone' | 'unknown' {
  if ((['host', 'machine', 'namespace'] as const).some((key) => holder[key] !== own[key])) return 'unknown';
  // Two containers may have the same name, and no machine of their own.
  if (holder.boot !== own.boot) return own.machine === '' ? 'unknown' : 'gone';
  return isRunning(holder) ? 'running' : 'gone';
}

function isRunning({ pid, start }: Holder): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return startOf(pid) === start;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: field 22, counted from after the command's name. */
function startOf(pid: number): string {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** What the system tells, if it does. */
const told = (ask: () => string): string => attempt(ask) ?? '';

const RENEW_MS = 30_000;
const STALE_MS = 600_000;

/** The locks that this process holds. Its own process id in a lock proves nothing: ids are reused. */
const held = new Map<string, { readonly text: string; renewed: number }>();

/**
 * Takes the lock, and returns the function that releases it.
 *
 * @param takeLock whether one is taken over of whose process nothing is known
 * @throws OutputError if a process holds it that may be running
 */
export function acquireLock(folders: WorkFolders, takeLock = false): () => void {
  const { lock: file, name } = folders;
  const own = encodeHolder(thisProcess());
  const hint = `The lock and the new files are kept beside the folder until they are renamed: ${path.dirname(file)} must be writable.`;
  explained('cannot be locked', name, () => take(folders, own, takeLock), hint);
  held.set(file, { text: own, renewed: Date.now() });
  const timer = setInterval(() => attempt(() => holdsLock(folders, 0)), RENEW_MS).unref();
  return () => {
    clearInterval(timer);
    held.delete(file);
    // Another build may have taken it over on request. A process that can open no more files has to believe that it is its own.
    const text = attempt(() => readIfThere(file) ?? '') ?? own;
    // One that cannot be removed is stale as soon as this process ends.
    if (text === own) attempt(() => unlinkSync(file));
  };
}

/** Whether a lock is still this build's: its machine may have been suspended. Renews it, as no timer fires in synchronous work. */
export function holdsLock({ lock }: WorkFolders, after = RENEW_MS): boolean {
  const own = held.get(lock);
  // Another build that moved it, as it had found a stale one there, is just putting it back.
  const isOwn = own !== undefined && readSettled(lock, undefined, '') === own.text;
  if (!isOwn) held.delete(lock);
  else if (Math.abs(Date.now() - own.renewed) >= after) {
    own.renewed = Date.now();
    // All locks begin alike, if it is another one by now.
    attempt(() => touch(lock, own.text.slice(0, 1)));
  }
  return isOwn;
}

/** Returns the folders. Throws `OutputError` if their lock is not this build's any more: what is there may belong to another one. */
export function stillLocked(folders: WorkFolders): WorkFolders {
  if (holdsLock(folders)) return folders;
  const holder = holderOf(attempt(() => readIfThere(folders.lock)));
  const by = holder && `was taken over by another build (process ${holder.pid} on ${holder.host})`;
  throw new OutputError(`the lock of this build ${by ?? 'is gone (ENOENT)'}`, folders.name, {
    hint: 'What it has staged is left to the build that holds the lock. Run it again when no other one is at work.',
  });
}

function take(folders: WorkFolders, own: string, takeLock: boolean): void {
  for (let tries = 1; ; tries++) {
    try {
      create(folders, own);
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || tries > 3) throw error;
    }
    const text = readSettled(folders.lock, '');
    if (text === undefined) continue;
    refuseHeld(text, folders, () => takeLock || isStale(folders));
    removeStale(folders, text);
  }
}

/** A lock appears with its content: written under another name, then linked. Throws EEXIST if there is one. */
function create({ lock, trash }: WorkFolders, text: string): void {
  const draft = trash + randomUUID();
  try {
    writeFileSync(draft, text, { flag: 'wx' });
    linkSync(draft, lock);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // File systems without links say so with many codes. Whatever else it was is what the lock itself fails with, too.
    createInPlace(lock, text);
  } finally {
    attempt(() => unlinkSync(draft));
  }
}

function createInPlace(lock: string, text: string): void {
  try {
    writeFileSync(lock, text, { flag: 'wx' });
  } catch (error) {
    // A disk may have room for the file, and none for what is in it.
    if (errorCode(error) !== 'EEXIST' && readIfThere(lock) === '') unlinkSync(lock);
    throw error;
  }
  // A process that was suspended before it had written, for longer than others wait, finds its lock taken over.
  if (readIfThere(lock) !== text) createInPlace(lock, text);
}

/** Two builds may find the same stale lock: one that moved a lock other than the stale one puts it back. */
function removeStale(folders: WorkFolders, text: string): void {
  const aside = folders.trash + randomUUID();
  attempt(() => renameSync(folders.lock, aside), 'ENOENT');
  const moved = readIfThere(aside);
  attempt(() => unlinkSync(aside));
  if (moved !== undefined && moved !== text) create(folders, moved);
}

const holderOf = (text = ''): Holder | undefined => holderSchema.safeParse(parseJson(text)).data;

function refuseHeld(text: string, { lock: file, name }: WorkFolders, mayTake: () => boolean): void {
  const holder = holderOf(text);
  const state = held.has(file) ? 'running' : holder ? stateOf(holder, thisProcess()) : 'gone';
  if (state === 'running')
    throw new OutputError(`locked by another build (process ${holder?.pid})`, name, {
      hint: 'Wait for it to finish, or choose another folder with --out.',
    });
  if (state === 'gone' || mayTake()) return;
  const renewed = statusOf(file)?.mtime.toISOString();
  throw new OutputError(
    `locked by a build on another host or in another container (process ${holder?.pid} on ${holder?.host}, renewed ${renewed}): ${file}`,
    name,
    { hint: 'Wait for it to finish. A dead build’s lock expires in 10 minutes, or now with --take-lock.' },
  );
}

/** By the clock of the file system, as those of machines differ. A lock far ahead of it is as old: it has been set back since. */
function isStale({ lock, trash }: WorkFolders): boolean {
  const probe = trash + randomUUID();
  attempt(() => writeFileSync(probe, 'now', { flag: 'wx' }));
  // Not stale, as far as is known, if either is not there.
  const [renewed = Number.NaN, now = Number.NaN] = [lock, probe].map((file) => statusOf(file)?.mtimeMs);
  attempt(() => unlinkSync(probe));
  return Math.abs(now - renewed) > STALE_MS;
}

/** The content of a lock. What passes: one that was created in place is empty until it is written, or forever if its process was killed. */
function readSettled(file: string, ...passing: (string | undefined)[]): string | undefined {
  const until = performance.now() + 2000;
  for (;;) {
    const text = readIfThere(file);
    if (!passing.includes(text) || performance.now() > until) return text;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

const readIfThere = (file: string): string | undefined =>
  attempt(() => readText(path.dirname(file), path.basename(file)), 'ENOENT');
