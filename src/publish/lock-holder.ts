/** Who holds a lock: a process, and where it runs. Process ids mean nothing to another host or container. */

import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode } from '../errors.ts';

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

/** Where the system does not tell, a field is empty. */
export const thisProcess = (): Holder => ({
  host: os.hostname(),
  machine: readIfTold('/etc/machine-id').trim(),
  boot: readIfTold('/proc/sys/kernel/random/boot_id').trim(),
  namespace: namespaceOf(process.pid),
  pid: process.pid,
  start: startOf(process.pid),
});

export const encodeHolder = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

/** Undefined if the text names no process. Version 0.1.0 wrote nothing but a process id and its start. */
export function decodeHolder(text: string, own: Holder): Holder | undefined {
  const [, pid, start] = /^([1-9]\d{0,9}) (\d+|-)\n?$/.exec(text) ?? [];
  if (pid !== undefined) return { ...own, pid: Number(pid), start: start === '-' ? '' : `${start}` };
  return holderSchema.safeParse(parseJson(text)).data;
}

/** Whether a process is at work, as far as can be known from here. */
export function stateOf(holder: Holder, own: Holder): 'running' | 'gone' | 'unknown' {
  if (holder.host !== own.host || holder.machine !== own.machine) return 'unknown';
  if (holder.namespace !== own.namespace) return 'unknown';
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
  const stat = readIfTold(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function namespaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return '';
  }
}

function readIfTold(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
